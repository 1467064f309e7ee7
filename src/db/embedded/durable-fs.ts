import { fdatasyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncDirectory } from './sync-directory.ts';

/** The part of PGlite's module that is touched here; it is internal, hence the checks. */
interface FileSystemModule {
  NODEFS?: {
    stream_ops?: { fsync?: (stream: { nfd?: number; node: unknown }) => number };
    realPath?: (node: unknown) => string;
  };
}

type InitOptions = Parameters<NodeFS['init']>[1];

interface DurableHooks {
  synced: () => void;
  /** Must not return: the engine must not go on after a failed sync (see `failed` below). */
  failed: (error: unknown) => never;
}

/**
 * PGlite's file system with an fsync that reaches the disk; its own does nothing. Put in place before the engine
 * starts, so that crash recovery's syncs are real too.
 */
export class DurableNodeFS extends NodeFS {
  readonly #hooks: DurableHooks;

  constructor(directory: string, hooks: DurableHooks) {
    super(directory);
    this.#hooks = hooks;
  }

  override async init(pg: PGlite, options: InitOptions): ReturnType<NodeFS['init']> {
    const result = await super.init(pg, options);
    const install = (mod: FileSystemModule) => this.#install(mod);
    return {
      emscriptenOpts: {
        ...result.emscriptenOpts,
        preRun: [...(result.emscriptenOpts.preRun ?? []), install as never],
      },
    };
  }

  #install(mod: FileSystemModule): void {
    const operations = mod.NODEFS?.stream_ops;
    const realPath = mod.NODEFS?.realPath;
    if (!operations || !realPath) {
      throw new Error('This PGlite has no place for a durable fsync; Satline cannot run on it');
    }
    operations.fsync = (stream) => {
      try {
        if (stream.nfd === undefined) syncDirectory(realPath(stream.node));
        else fdatasyncSync(stream.nfd);
      } catch (error) {
        // After a failed sync the kernel may have dropped the dirty pages and report success next time. PostgreSQL
        // panics and recovers from its log; a panic inside PGlite is swallowed, so the thread has to end instead.
        this.#hooks.failed(error);
      }
      this.#hooks.synced();
      return 0;
    };
  }
}
