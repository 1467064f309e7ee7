/** What does not fit is made up for by the look-ups that go on beside this. */
const mostUnread = 1000;

/** A queue between callbacks that put in and one reader; it ends, what was put in before still comes. */
export class Feed<Item> {
  readonly #unread: Item[] = [];
  #isOver = false;
  #ring = () => {};

  put(item: Item): void {
    if (this.#unread.length < mostUnread) this.#unread.push(item);
    this.#ring();
  }

  end(): void {
    this.#isOver = true;
    this.#ring();
  }

  async *read(): AsyncGenerator<Item> {
    for (;;) {
      while (this.#unread.length > 0) yield this.#unread.shift()!;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#ring = resolve;
      });
    }
  }
}
