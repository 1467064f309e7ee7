import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { banner } from '../src/banner.ts';
import { readConfig } from '../src/config.ts';
import {
  completeDemo,
  type DemoCredentials,
  makeDemo,
  mayReachPrivateNetworks,
  readDemo,
  writeDemo,
} from '../src/demo.ts';
import { openTestApp, type TestApp } from './harness/app.ts';
import { Client } from './harness/client.ts';

let app: TestApp;
let dataDir: string;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  dataDir = mkdtempSync(join(tmpdir(), 'satline-demo-'));
});
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const signIn = ({ email, password }: DemoCredentials) => app.stranger.post('/api/v1/m/sessions', { email, password });

test('a start says where people sign in, and where the demo keeps what its owner signs in with', () => {
  const said = (demo?: DemoCredentials) => banner('http://127.0.0.1:3000', 'embedded', demo);
  expect(said()).toContain('http://127.0.0.1:3000/sign-in\n');
  expect(said({ secret_key: 'sk_test_x' } as DemoCredentials)).toMatch(/signs in with, are in demo-credentials\.json/);
});

test('private networks are within reach only of a service that nobody else can reach', async () => {
  const reach = (env: NodeJS.ProcessEnv, demoAsked?: boolean) =>
    mayReachPrivateNetworks(readConfig({ DATA_DIR: join(dataDir, 'none'), NODE_ENV: 'production', ...env }), demoAsked);
  const asked = { ALLOW_PRIVATE_NETWORKS: 'true' };
  expect(await reach(asked)).toBe(true);
  expect(await reach({ ...asked, HOST: '0.0.0.0' })).toBe(false);
  expect(await reach({ ...asked, PUBLIC_URL: 'https://pay.example.com' })).toBe(false);
  expect(await reach({ HOST: '0.0.0.0' }, true)).toBe(false);
  expect([await reach({}), await reach({}, true), await reach({ NODE_ENV: '' })]).toEqual([false, true, true]);
});

test('a demo from before there were people gets an owner and a limited key, once', async () => {
  // Beside PostgreSQL the first start finds no folder.
  rmSync(dataDir, { recursive: true });
  const made = (await makeDemo(app.parts, dataDir, 'http://127.0.0.1:3000'))!;
  expect((await signIn(made)).body.merchants).toMatchObject([{ id: made.merchant_id, role: 'owner' }]);
  expect(await completeDemo(app.parts, dataDir, made)).toEqual(made);

  await app.rows('delete from users');
  const { email: _email, password: _password, limited_secret_key: _limited, ...earlier } = made;
  await writeDemo(dataDir, earlier as DemoCredentials);
  // Two processes that start together.
  const [one, two] = await Promise.all([1, 2].map(() => completeDemo(app.parts, dataDir, earlier as DemoCredentials)));
  expect(one).toEqual(two);
  expect(one).toMatchObject({ ...earlier, email: 'demo@example.com' });
  expect(await readDemo(dataDir)).toEqual(one);
  expect((await signIn(one!)).body.merchants).toMatchObject([{ id: made.merchant_id, role: 'owner' }]);
  const limited = new Client(app.app, one!.limited_secret_key, undefined);
  expect((await limited.get('/api/v1/m/merchant')).headers['ratelimit-policy']).toBe('"minute";q=60;w=60');
  expect(await app.rows('select 1 from users')).toHaveLength(1);
});

test('one whose owner is there gets a password that works', async () => {
  const known = (await readDemo(dataDir))!;
  const { password: _password, ...earlier } = known;
  await writeDemo(dataDir, earlier as DemoCredentials);
  const completed = await completeDemo(app.parts, dataDir, earlier as DemoCredentials);
  expect(completed.password).not.toBe(known.password);
  expect([(await signIn(known)).status, (await signIn(completed)).status]).toEqual([401, 200]);
  expect(await app.rows('select 1 from users')).toHaveLength(1);
});

test('one whose merchant is gone is left as it is', async () => {
  const gone = { ...(await readDemo(dataDir))!, merchant_id: '01900000-0000-7000-8000-000000000000', password: '' };
  await writeDemo(dataDir, gone);
  expect(await completeDemo(app.parts, dataDir, gone)).toEqual(gone);
});
