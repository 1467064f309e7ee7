import { InvalidArgumentError } from 'commander';
import { toIpRange } from '../auth/ip-ranges.ts';
import type { Permission } from '../kernel/context.ts';
import { permissions } from '../model/api-token.ts';

/** Reads `orders:read,orders:write`. */
export function readPermissions(text: string): Permission[] {
  return listed(text).map((word) => {
    const permission = permissions.find((known) => known === word);
    if (permission) return permission;
    throw new InvalidArgumentError(`${JSON.stringify(word)} is none of ${permissions.join(', ')}.`);
  });
}

/** Reads `10.0.0.0/8,2001:db8::1`. */
export function readIpRanges(text: string): string[] {
  return listed(text).map((word) => {
    const range = toIpRange(word);
    if (range !== undefined) return range;
    throw new InvalidArgumentError(
      `${JSON.stringify(word)} is no address or range, such as 10.0.0.0/8 or 2001:db8::/32.`,
    );
  });
}

function listed(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word, index) => word !== '' || index === 0);
}
