import type { MessagePort } from 'node:worker_threads';
import type { Engine } from './engine.ts';
import { Flow } from './flow.ts';
import { type Frame, frontendMessage } from './framing.ts';
import type { Gauges } from './gauges.ts';
import { Session } from './session.ts';

/**
 * Lets several sessions take turns on the one engine. Whoever sends the first message owns it until a Query or Sync
 * has been answered and no transaction is open; the others wait in line. That is all the isolation there is.
 */
export class Sessions {
  readonly #engine: Engine;
  readonly #gauges: Gauges;
  readonly #broken: (error: unknown) => never;
  readonly #open = new Set<Session>();
  readonly #line: Session[] = [];
  #owner: Session | undefined;
  #running: Promise<void> | undefined;

  /** `broken` ends the thread: after an exception nobody knows what the engine still holds. */
  constructor(engine: Engine, gauges: Gauges, broken: (error: unknown) => never) {
    this.#engine = engine;
    this.#gauges = gauges;
    this.#broken = broken;
  }

  open(port: MessagePort, buffer: SharedArrayBuffer): void {
    // A pool that has thrown a client away connects the next at once, and the news may come first. The old session
    // must end before, or its DISCARD ALL would hit the new one.
    for (const session of this.#open) {
      if (session.gone) this.#hangUp(session);
    }
    const session = new Session(port, new Flow(buffer), this.#gauges);
    this.#open.add(session);
    port.on('message', (bytes: Uint8Array) => {
      session.receive(bytes);
      this.#enter(session);
    });
    port.on('close', () => this.#hangUp(session));
  }

  /** Ends all sessions after the work that is under way. */
  async close(): Promise<void> {
    for (const session of this.#open) this.#hangUp(session);
    await this.#running;
  }

  #hangUp(session: Session): void {
    session.abandon();
    this.#enter(session);
  }

  #enter(session: Session): void {
    if (!this.#line.includes(session)) this.#line.push(session);
    this.#running ??= this.#run()
      .catch(this.#broken)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #run(): Promise<void> {
    for (;;) {
      const at = this.#owner ? this.#line.indexOf(this.#owner) : 0;
      const session = this.#line[at];
      if (!session) return;
      this.#line.splice(at, 1);
      for (const frame of session.takeFrames()) await this.#handle(session, frame);
      if (!this.#owner) await this.#engine.checkpointIfDue();
    }
  }

  async #handle(session: Session, frame: Frame): Promise<void> {
    if (!this.#open.has(session)) return;
    switch (frame.kind) {
      case 'encryption':
        return session.post(Uint8Array.of(0x4e));
      case 'startup':
      case 'messages': {
        this.#owner = session;
        session.complete = frame.kind === 'startup' || frame.complete;
        session.used = true;
        await this.#engine.execute(frame.bytes, (bytes) => session.output(bytes));
        session.flush();
        if (session.complete && !this.#engine.inTransaction) this.#owner = undefined;
        return;
      }
      case 'end':
        return this.#end(session);
    }
  }

  /** Leaves the engine as a new connection would find it. */
  async #end(session: Session): Promise<void> {
    this.#open.delete(session);
    session.close();
    if (session.used) {
      const quietly = (message: Uint8Array) => this.#engine.execute(message, () => {});
      if (!session.complete) await quietly(frontendMessage());
      if (this.#engine.inTransaction) await quietly(frontendMessage('rollback'));
      await quietly(frontendMessage('discard all'));
    }
    if (this.#owner === session) this.#owner = undefined;
  }
}
