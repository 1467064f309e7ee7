import { readFileSync } from 'node:fs';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { type Check, ok, trouble } from './check.ts';

/** Against `engines` of package.json, a lower bound such as `>=20.19`. */
export function checkNode(): Check {
  const file = new URL('../../../package.json', import.meta.url);
  const oldest: string = JSON.parse(readFileSync(file, 'utf8')).engines.node.replace('>=', '');
  const [major, minor] = oldest.split('.').map(Number) as [number, number];
  const [ours, ourMinor] = process.versions.node.split('.').map(Number) as [number, number];
  const found = `Node ${process.versions.node}`;
  if (ours > major || (ours === major && ourMinor >= minor)) return ok('node', `${found}.`);
  return trouble('node', `${found} is older than Satline needs.`, `Install Node ${oldest} or newer.`);
}

/** @returns the configuration unless a variable is wrong; then one trouble for each of them. */
export function checkConfiguration(env: NodeJS.ProcessEnv): { checks: Check[]; config?: Config } {
  try {
    const config = readConfig(env);
    return {
      checks: [ok('configuration', `Complete; payers reach it at ${config.publicUrl}.`, adviceOn(config))],
      config,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Correct the environment variable; the configuration page of the documentation describes each.';
    return { checks: error.message.split('\n').map((fault) => trouble('configuration', `${fault}.`, advice)) };
  }
}

function adviceOn({ onLoopback, publicUrl }: Config): string | undefined {
  if (onLoopback || publicUrl.startsWith('https:')) return undefined;
  return 'Set PUBLIC_URL to the https address that the outside world uses: links to payers are made from it.';
}
