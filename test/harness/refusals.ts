import { describe, expect, test } from 'vitest';
import { type Permission, permissionNouns } from '../../src/kernel/context.ts';
import type { TestApp, TestMerchant } from './app.ts';
import type { Client, Reply } from './client.ts';
import { books, expectError } from './expect.ts';

const everyPermission: readonly Permission[] = [
  ...permissionNouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`] as const),
  'media_keys:manage',
];

export interface Door {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** @param id of the resource; unused where the path names none. */
  path: (id: string) => string;
  body?: (id: string) => unknown;
  /** What a narrowed key needs. */
  permission: Permission;
  /** How the 404 names the resource; left out: the operation is about no single one. */
  resource?: string;
  /** Makes the resource with a test key. @returns its id. */
  make?: (merchant: TestMerchant) => Promise<string>;
  /** The same with a live key. */
  makeLive?: (merchant: TestMerchant) => Promise<string>;
  /** What a call that is allowed answers; 200 if left out. */
  success?: number;
}

/** A noun with the usual five operations at `path` and `path/{id}`. */
interface Noun extends Pick<Door, 'resource' | 'make' | 'makeLive'> {
  path: string;
  /** Good for creating and for updating. */
  body: () => unknown;
  /** Whose `:read` and `:write` its operations need. */
  permissions: (typeof permissionNouns)[number];
}

const unknownId = '01900000-0000-7000-8000-000000000000';

/** Registers what every operation refuses, and that a refused call changes nothing. */
export function describeRefusals(app: () => TestApp, door: Door): void {
  const knock = (client: Client, id: string): Promise<Reply> => {
    const path = door.path(id);
    if (door.method === 'GET') return client.get(path);
    if (door.method === 'DELETE') return client.delete(path);
    return door.method === 'POST' ? client.post(path, door.body?.(id)) : client.patch(path, door.body?.(id));
  };
  const make = async (merchant: TestMerchant) => (await door.make?.(merchant)) ?? unknownId;

  async function unchanged(work: () => Promise<void>): Promise<void> {
    const before = await books(app());
    await work();
    expect(await books(app())).toEqual(before);
  }

  describe('refuses', () => {
    test('calls without a key', async () => {
      const id = await make(await app().newMerchant());
      await unchanged(async () => {
        const reply = await knock(app().stranger, id);
        expectError(reply, 'missing_token');
        expect(reply.headers['www-authenticate']).toBe('Bearer');
      });
    });

    test('publishable keys of both modes', async () => {
      const merchant = await app().newMerchant();
      const id = await make(merchant);
      await unchanged(async () => {
        for (const client of [merchant.publishable, merchant.livePublishable]) {
          expectError(await knock(client, id), 'forbidden', { message: /publishable key/ });
        }
      });
    });

    test(`a key that may do everything but ${door.permission}`, async () => {
      const merchant = await app().newMerchant();
      const id = await make(merchant);
      const narrowed = await merchant.narrowed(...everyPermission.filter((one) => one !== door.permission));
      await unchanged(async () => {
        expectError(await knock(narrowed, id), 'forbidden', {
          message: `This key lacks the permission ${door.permission}`,
        });
      });
      const fitting = await merchant.narrowed(door.permission);
      expect((await knock(fitting, id)).status).toBe(door.success ?? 200);
    });

    const { resource } = door;
    if (resource === undefined) return;
    const message = `${resource} not found`;

    test('another merchant, whose 404 reads like one for an id that never was', async () => {
      const [owner, other] = [await app().newMerchant(), await app().newMerchant()];
      const id = await make(owner);
      await unchanged(async () => {
        expectError(await knock(other.test, id), 'not_found', { message });
        expectError(await knock(owner.test, unknownId), 'not_found', { message });
      });
    });

    test('the other mode', async () => {
      const merchant = await app().newMerchant();
      const id = await make(merchant);
      const liveId = await door.makeLive?.(merchant);
      await unchanged(async () => {
        // An operation for test data alone says so before it looks.
        const reply = await knock(merchant.live, id);
        if (reply.status === 403) expectError(reply, 'forbidden', { message: 'Only a test key can do this' });
        else expectError(reply, 'not_found', { message });
        if (liveId) expectError(await knock(merchant.test, liveId), 'not_found', { message });
      });
    });

    test('ids that are none, as ids that are not there', async () => {
      const { test: client } = await app().newMerchant();
      for (const id of ['not-a-uuid', '1', '%00', '%F0%9F%92%A9', '..%2f..', 'x'.repeat(5000), `${unknownId}0`]) {
        expectError(await knock(client, id), 'not_found', { message });
      }
    });
  });
}

/** Registers the refusals of create, list, show, update and delete. */
export function describeNounRefusals(app: () => TestApp, { path, body, permissions, ...noun }: Noun): void {
  const one = { ...noun, path: (id: string) => `${path}/${id}` };
  const [read, write] = [`${permissions}:read`, `${permissions}:write`] as const;
  const doors: Record<string, Door> = {
    create: { method: 'POST', path: () => path, body, permission: write, success: 201 },
    list: { method: 'GET', path: () => path, permission: read },
    show: { ...one, method: 'GET', permission: read },
    update: { ...one, method: 'PATCH', body, permission: write },
    delete: { ...one, method: 'DELETE', permission: write, success: 204 },
  };
  for (const [name, door] of Object.entries(doors)) describe(name, () => describeRefusals(app, door));
}
