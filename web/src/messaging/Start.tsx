import { Skeleton } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useGoOn } from '../app/goOn';
import { useShown } from './context';

/** Redirects to the conversation that was open last, or to the general channel. */
export function Start() {
  const state = useShown((s) => s);
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const goOn = useGoOn();
  useEffect(() => {
    if (!state.boot) {
      return;
    }
    const team = state.boot.workspace.id;
    const last = localStorage.getItem(`us.last.${env}.${team}`);
    const channel =
      (last && state.channels.get(last)) || state.boot.channels.find((c) => c.is_general) || state.boot.channels[0];
    goOn(`/e/${encodeURIComponent(env)}/messaging/${team}/${channel?.id ?? '-/channels'}`);
  }, [state.boot, state.channels, env, goOn]);
  return <Skeleton h={200} width="auto" m="md" />;
}
