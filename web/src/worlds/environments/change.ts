import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/http';
import { useToasts } from '../../app/Toasts';

/**
 * Returns a function that runs an action on environments, shows a message about the result, and reloads the shown data.
 * An error is shown as a message with a button to retry; `failed` replaces that.
 */
export function useChange(): <T>(run: () => Promise<T>, said: string, then?: (made: T) => void) => void {
  const toasts = useToasts();
  const queries = useQueryClient();
  const change = <T>(run: () => Promise<T>, said: string, then?: (made: T) => void): void => {
    run().then(
      (made) => {
        if (said) {
          toasts.done(said);
        }
        void queries.invalidateQueries();
        then?.(made);
      },
      (e) => {
        toasts.failed(e, () => change(run, said, then));
        if (e instanceof ApiError && e.status === 404) {
          void queries.invalidateQueries(); // it was deleted, so the shown data are outdated
        }
      },
    );
  };
  return change;
}
