/** What a folder of the walk contains. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export interface Walk {
  /** Entries of a folder, in any order; the top folder is the empty path. */
  readonly list: (path: string) => Promise<readonly FolderEntry[]>;
  readonly prefix: string;
  /** Exclusive. */
  readonly after: string;
}

/**
 * Names of files below a folder that start with `prefix` and come after `after`, in order of their bytes, reading only the
 * folders on the way.
 *
 * A folder counts as its name with a `/`: then the order within each folder is the order of the whole names (`a-b` comes
 * before `a/b` although `a` comes before `a-b`). Names that start with a dot are not objects.
 */
export async function* namesInOrder(walk: Walk, path = ''): AsyncGenerator<string> {
  const entries = (await walk.list(path))
    .filter((entry) => !entry.name.startsWith('.'))
    .map((entry) => ({ full: `${path}${entry.name}${entry.isFolder ? '/' : ''}`, isFolder: entry.isFolder }))
    .sort((a, b) => (a.full < b.full ? -1 : 1));
  for (const { full, isFolder } of entries) {
    if (!isFolder) {
      if (full.startsWith(walk.prefix) && full > walk.after) yield full;
    } else if (mayContain(full, walk)) {
      yield* namesInOrder(walk, full);
    }
  }
}

function mayContain(folder: string, { prefix, after }: Walk): boolean {
  const touchesPrefix = folder.startsWith(prefix) || prefix.startsWith(folder);
  return touchesPrefix && (folder > after || after.startsWith(folder));
}
