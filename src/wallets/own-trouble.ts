/** Something of ours broke while a wallet was being asked, which says nothing about the wallet. The cause is what broke. */
export class OwnTrouble extends Error {
  constructor(cause: unknown) {
    super('Something of ours broke while a wallet was being asked', { cause });
    this.name = 'OwnTrouble';
  }
}

/** Marks work that is not the wallet's, most of all the database's. @throws {OwnTrouble} when it fails. */
export async function ours<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new OwnTrouble(cause);
  });
}
