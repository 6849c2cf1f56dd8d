/**
 * The port to where snapshots lie: named immutable objects. Adapters: `memory/`, `folder/`, `s3/`.
 * The format of manifests and segments, their names and the rules of use live beside this file, not in adapters.
 */
export interface ObjectEntry {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface SnapshotStore {
  /** Creates an object; `false` if there is one of that name, which is left as it is. All of it is there, or nothing. */
  create(name: string, bytes: Uint8Array): Promise<boolean>;
  /** The bytes, or [from, to) of them (clamped to the object); null if there is no such object. */
  read(name: string, range?: { readonly from: number; readonly to: number }): Promise<Uint8Array | null>;
  /** Objects whose name starts with `prefix`, in order of their names as bytes, at most `limit`, after `after` (exclusive). */
  list(prefix: string, options?: { readonly limit?: number; readonly after?: string }): Promise<readonly ObjectEntry[]>;
  /** Removes an object; no error if there is none. */
  remove(name: string): Promise<void>;
}
