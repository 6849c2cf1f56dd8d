import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface WordCountOptions {
  readonly files: readonly string[];
  readonly members: number;
  /** 0: any free port. */
  readonly port: number;
  /** Folder that keeps log and snapshots over restarts; undefined: memory. */
  readonly dir: string | undefined;
  /** End when every file is counted, instead of waiting for them to grow. */
  readonly once: boolean;
  /** Where to write the final counts with `--once`, in the form of `uniq -c`. */
  readonly countsFile: string | undefined;
}

export const USAGE = `Usage: npm start -- [options] [FILE…]

Counts the words of the files (by default this repository's own documents) and goes on as they grow.

  --members N      members to run the tasks on, 1 to 8 (default 3)
  --port PORT      port of the page (default: PORT, else 8080; if taken, any free one)
  --dir DIR        keep log and snapshots in a folder, and go on from there at the next start
  --once           end when everything is counted
  --counts FILE    with --once: write the counts there, as 'uniq -c' would
  -h, --help       this text`;

/** Reads the command line. @throws {Error} with one line that says what is wrong */
export function readOptions(args: readonly string[], environmentPort: string | undefined): WordCountOptions | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  if (values.counts !== undefined && !values.once) throw new Error('--counts needs --once');
  return {
    files: positionals,
    members: wholeNumber('--members', values.members, 1, 8),
    port:
      values.port === undefined
        ? wholeNumber('PORT', environmentPort || '8080', 0, 65_535)
        : wholeNumber('--port', values.port, 0, 65_535),
    dir: values.dir,
    once: values.once,
    countsFile: values.counts,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        members: { type: 'string', default: '3' },
        port: { type: 'string' },
        dir: { type: 'string' },
        once: { type: 'boolean', default: false },
        counts: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    const [what] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new Error(`${what}; npm start -- --help lists the options`, { cause: error });
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new Error(`${name}: '${text}' was given, a whole number from ${min} to ${max} is wanted`);
  return value;
}
