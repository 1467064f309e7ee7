/** Lets a loop sleep until a moment or a wake, whichever comes first. A wake while it is busy is not lost. */
export class Pace {
  #woken = false;
  #ring: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#ring?.();
  }

  /** @param millis left out, only a wake ends it. @returns whether a wake did. */
  async sleep(millis?: number): Promise<boolean> {
    if (!this.#woken) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#ring = resolve;
        if (millis !== undefined) timer = setTimeout(resolve, millis);
      });
      clearTimeout(timer);
      this.#ring = undefined;
    }
    const wasWoken = this.#woken;
    this.#woken = false;
    return wasWoken;
  }
}
