/** Lets a loop sleep until a moment or a wake, whichever comes first. A wake while it is busy is not lost. */
export class Pace {
  #woken = false;
  #ring: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#ring?.();
  }

  async sleep(millis: number): Promise<void> {
    if (!this.#woken) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#ring = resolve;
        timer = setTimeout(resolve, millis);
      });
      clearTimeout(timer);
      this.#ring = undefined;
    }
    this.#woken = false;
  }
}
