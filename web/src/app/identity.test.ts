import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable } from '../api/http';

const { send } = vi.hoisted(() => ({ send: vi.fn() }));
vi.mock('../api/http', async (original) => ({ ...(await original<object>()), send }));

type Identity = typeof import('./identity');
const lena = { user: { id: 'U1', name: 'Lena Park', email: 'lena@x.example' }, tenant: 'T1', token: 'jwt' };
const refusal = (status: number, code: string) => new ApiError(status, code, code, '', 0);

/** Returns the identity module of a tab that has the admin key and acts as Lena. */
async function acting(): Promise<Identity & { key: () => string | undefined }> {
  vi.resetModules();
  sessionStorage.setItem('us.admin', 'adm_1');
  const identity = await import('./identity');
  const { adminKey } = await import('./admin');
  send.mockResolvedValueOnce(lena);
  await identity.actAs('default', 'lena.park');
  return { ...identity, key: adminKey };
}

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  send.mockReset();
});

describe('who acts as somebody', () => {
  it('stays who they are while the server cannot answer', async () => {
    const { call, personOf } = await acting();
    for (const failure of [new Unreachable(), refusal(503, 'unavailable'), refusal(429, 'ratelimited')]) {
      send.mockRejectedValueOnce(refusal(401, 'invalid_auth')).mockRejectedValueOnce(failure);
      await expect(call('default', '/api/client/boot')).rejects.toBe(failure);
      expect(personOf('default')?.name).toBe('Lena Park');
    }
  });

  it('is not somebody else after a reload while the server cannot answer', async () => {
    await acting();
    vi.resetModules();
    const { ensurePerson } = await import('./identity');
    send.mockRejectedValueOnce(refusal(503, 'unavailable'));
    await expect(ensurePerson('default')).rejects.toThrow('unavailable');
    send.mockResolvedValueOnce(lena);
    expect((await ensurePerson('default'))?.name).toBe('Lena Park');
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('is asked for the key when it was changed, with no second try', async () => {
    const { call, personOf, ended, ensurePerson, key } = await acting();
    send.mockRejectedValueOnce(refusal(401, 'token_expired')).mockRejectedValueOnce(refusal(401, 'unauthorized'));
    await expect(call('default', '/api/client/boot')).rejects.toThrow();
    expect(personOf('default')).toBeUndefined();
    expect(key()).toBeUndefined();
    expect(ended.get('default')).toBe('acting');
    expect(await ensurePerson('default')).toBeUndefined();
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('is asked for the key when it was changed before a reload', async () => {
    await acting();
    vi.resetModules();
    const { ensurePerson, ended } = await import('./identity');
    send.mockRejectedValueOnce(refusal(401, 'unauthorized'));
    expect(await ensurePerson('default')).toBeUndefined();
    expect(ended.get('default')).toBe('acting');
  });

  it('is nobody when the person is gone', async () => {
    const { call, personOf, ended } = await acting();
    send.mockRejectedValueOnce(refusal(401, 'invalid_auth')).mockRejectedValueOnce(refusal(404, 'person_not_found'));
    await expect(call('default', '/api/client/boot')).rejects.toThrow();
    expect(personOf('default')).toBeUndefined();
    expect(ended.has('default')).toBe(false);
  });
});

describe('who signed in', () => {
  const reply = (n: number) => ({
    access_token: `access${n}`,
    refresh_token: `refresh${n}`,
    account: { id: 'A1', email: 'ann@x.example', name: 'Ann' },
    user: { id: 'U2' },
    workspace: { id: 'T1' },
  });

  it('renews once for all calls that wait', async () => {
    vi.resetModules();
    const { signIn, call } = await import('./identity');
    send.mockResolvedValueOnce(reply(1));
    await signIn('default', 'ann@x.example', 'secret', true);
    send.mockImplementation(async (url: string, options: { token?: string }) => {
      if (url.endsWith('/auth/refresh')) {
        return reply(2);
      }
      if (options.token === 'access1') {
        throw refusal(200, 'token_revoked'); // as the Web API refuses
      }
      return 'read';
    });
    expect(await Promise.all([1, 2, 3].map(() => call('default', '/api/x')))).toEqual(['read', 'read', 'read']);
    expect(send.mock.calls.filter(([url]) => String(url).endsWith('/auth/refresh')).length).toBe(1);
  });

  it('stays signed in when the renewal gets no answer', async () => {
    vi.resetModules();
    const { signIn, call, personOf } = await import('./identity');
    send.mockResolvedValueOnce(reply(1));
    await signIn('default', 'ann@x.example', 'secret', true);
    send.mockRejectedValueOnce(refusal(401, 'invalid_auth')).mockRejectedValueOnce(refusal(503, 'unavailable'));
    await expect(call('default', '/api/x')).rejects.toThrow('unavailable');
    expect(personOf('default')?.name).toBe('Ann');
  });
});
