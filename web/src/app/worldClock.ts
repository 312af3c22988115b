import { useQuery } from '@tanstack/react-query';
import { adminCall, adminKey } from './admin';

export interface WorldClock {
  now: string;
  frozen: boolean;
}

/** The props shared by the clock's button and dialog; changed is called after the clock was set. */
export interface ClockProps {
  env: string;
  clock: WorldClock;
  changed: () => void;
}

/** Returns the clock of an environment from the admin plane. Without the admin key it returns the browser's. */
export function useWorldClock(env: string) {
  const found = useQuery({
    queryKey: ['clock', env],
    queryFn: async () => {
      const { clock } = await adminCall<{ clock: WorldClock }>(`/environments/${encodeURIComponent(env)}`);
      return { ...clock, ahead: Date.parse(clock.now) - Date.now() };
    },
    enabled: adminKey() !== undefined,
    staleTime: 60_000,
  });
  const clock = found.data;
  return {
    clock,
    ready: !found.isLoading,
    changed: () => void found.refetch(),
    now: (): number => (clock ? (clock.frozen ? Date.parse(clock.now) : Date.now() + clock.ahead) : Date.now()),
  };
}
