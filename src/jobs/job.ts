/** A loop with its own pace. It ends when asked, after what is under way. */
export interface Job {
  readonly name: string;
  stop(): Promise<void>;
}
