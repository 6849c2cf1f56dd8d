/**
 * Word count on a laptop: `npm start -- [FILE…]`.
 *
 * The application (word-count.ts) could be deployed as it is; here the whole system runs in this process on the embedded log.
 */
import { access, constants, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineApp } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import { CountsView } from './counts-view.js';
import { FileFeed, positionsTopic } from './file-feed.js';
import { readOptions, USAGE, type WordCountOptions } from './options.js';
import { BadRequest, servePage } from './page-server.js';
import { Progress } from './progress.js';
import wordCount from './word-count.js';

const PARTITIONS = 4;
const MEMBERS_LIMIT = 8;
const TOP_WORDS = 25;
const SETTLE_MS = 50;
/** One process needs no patience: members join, move and are missed within a second, and stay while there is no work. */
const QUICK = {
  heartbeatIntervalMs: 200,
  sessionTimeoutMs: 2_000,
  tickIntervalMs: 200,
  idleTimeoutMs: 0,
  repartitionPurgeIntervalMs: 1_000,
};

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env.PORT);
  if (options === 'help') {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const files = options.files.length > 0 ? options.files : await ownDocuments();
  for (const file of files) await checkFile(file);
  if (options.countsFile !== undefined) await checkFolderOf(options.countsFile);
  await run(options, files);
  say('Ended.');
  return 0;
}

async function run(options: WordCountOptions, files: readonly string[]): Promise<void> {
  const app = defineApp({
    applicationId: wordCount.applicationId,
    topology: wordCount.topology,
    settings: { ...wordCount.settings, ...QUICK, members: options.members },
  });
  const streams = await LocalStreams.start({
    app,
    dir: options.dir,
    topics: [
      { name: 'lines', partitions: PARTITIONS, config: {} },
      { name: 'counts', partitions: PARTITIONS, config: { 'cleanup.policy': 'compact' } },
      positionsTopic,
    ],
  });
  try {
    await count(streams, options, files);
  } finally {
    await streams.close();
  }
}

/** Counts until it is asked to end, or is done, or a part of it fails. */
async function count(streams: LocalStreams, options: WordCountOptions, files: readonly string[]): Promise<void> {
  const ending = new AbortController();
  const feed = new FileFeed({
    log: streams.log,
    files: [...new Set(files.map((file) => resolve(file)))],
    topic: 'lines',
    partitions: PARTITIONS,
    consumerGroup: streams.app.applicationId,
    takeUnfinishedLine: options.once,
    warn: say,
  });
  const view = new CountsView(streams.log, 'counts', PARTITIONS);
  const progress = new Progress(streams, feed, view);

  const { server, port } = await servePage(options.port, {
    state: () => progress.state(TOP_WORDS, MEMBERS_LIMIT),
    setMembers: async (count) => {
      if (!Number.isInteger(count) || count < 1 || count > MEMBERS_LIMIT)
        throw new BadRequest(400, `members: a whole number from 1 to ${MEMBERS_LIMIT} is wanted`);
      await streams.setMembers(count);
    },
    crash: (memberId) => {
      if (!streams.crash(memberId)) throw new BadRequest(404, `${memberId} does not run`);
    },
    word: async (word) => {
      const answer = await streams.query('counts', word);
      return {
        word,
        count: answer.value,
        asOf: `${answer.asOf.topic}-${answer.asOf.partition}@${answer.asOf.nextOffset}`,
      };
    },
  });
  say(
    `Counting the words of ${files.length === 1 ? files[0] : `${files.length} files`} with ${options.members} members.`,
  );
  if (options.port !== 0 && port !== options.port) say(`Port ${options.port} is taken by another process.`);
  say(
    `Look at http://localhost:${port}${options.once ? '; it ends when all is counted.' : ' and press Ctrl-C to end.'}`,
  );

  let failure: unknown;
  let counted = false;
  const stop = () => ending.abort();
  // Ctrl-C may come twice: from the terminal, and from whoever started this process and passes it on.
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const failed = (error: unknown) => {
    failure ??= error;
    stop();
  };
  const parts = [feed.run(ending.signal), view.run(ending.signal), progress.run(ending.signal, say)];
  for (const part of parts) void part.catch(failed); // and awaited below
  void streams.failed.then(failed);
  if (options.once) {
    const done = (all: boolean) => {
      counted = all;
      stop();
    };
    void progress.counted(ending.signal, SETTLE_MS).then(done, failed);
  }

  await Promise.allSettled(parts);
  server.close();
  server.closeAllConnections();
  if (failure !== undefined) throw failure;
  if (options.once) {
    if (!counted) throw new Error('It was ended before everything was counted.');
    say(await progress.summary());
    if (options.countsFile !== undefined) await writeCounts(options.countsFile, view);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** In the form of `uniq -c`, in byte order of the words, as `sort` in the C locale gives it. */
async function writeCounts(file: string, view: CountsView): Promise<void> {
  const lines = view.top(Number.POSITIVE_INFINITY).map(({ word, count }) => ({ word: Buffer.from(word), count }));
  lines.sort((a, b) => Buffer.compare(a.word, b.word));
  await writeFile(file, lines.map(({ word, count }) => `${String(count).padStart(7)} ${word.toString()}\n`).join(''));
}

/** The Markdown documents of this repository. */
async function ownDocuments(): Promise<readonly string[]> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const found: string[] = [];
  for (const folder of ['.', 'docs', 'docs/decisions', 'lib']) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.isFile() && entry.name.endsWith('.md'))
        found.push(relative(process.cwd(), join(root, folder, entry.name)));
    }
  }
  return found.sort();
}

async function checkFolderOf(file: string): Promise<void> {
  await access(dirname(file), constants.W_OK).catch((error: unknown) => {
    throw new Error(`${file}: it can't be written`, { cause: error });
  });
}

async function checkFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new Error(`${file}: there is no such file`);
  if (!found.isFile()) throw new Error(`${file}: it is no file`);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const remedy = error instanceof Error && 'remedy' in error ? `\n${String(error.remedy)}` : '';
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}${remedy}\n`);
    process.exitCode = 1;
  },
);
