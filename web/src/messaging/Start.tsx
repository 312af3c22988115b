import { Skeleton } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useShown } from './context';

/** Goes to the conversation that was open last, or to the general channel. */
export function Start() {
  const state = useShown((s) => s);
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const navigate = useNavigate();
  useEffect(() => {
    if (!state.boot) {
      return;
    }
    const team = state.boot.workspace.id;
    const last = localStorage.getItem(`us.last.${env}.${team}`);
    const channel =
      (last && state.channels.get(last)) || state.boot.channels.find((c) => c.is_general) || state.boot.channels[0];
    if (channel) {
      void navigate({
        to: '/e/$env/messaging/$team/$channel',
        params: { env, team, channel: channel.id },
        replace: true,
      });
    } else {
      void navigate({ to: '/e/$env/messaging/$team/-/channels', params: { env, team }, replace: true });
    }
  }, [state.boot, state.channels, env, navigate]);
  return <Skeleton h={200} width="auto" m="md" />;
}
