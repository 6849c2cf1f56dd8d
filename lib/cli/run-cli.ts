import { CommanderError } from 'commander';
import type { Environment } from '../lambda/environment.js';
import { asStreamsError } from '../model/errors.js';
import { connect } from './connect.js';
import { createProgram } from './program.js';
import { render } from './render.js';
import { UsageError } from './usage-error.js';

/** How the command line ends: what was asked is done · it failed · it could not be meant. */
export const EXIT_CODES = { done: 0, failure: 1, usage: 2 } as const;

/** What a command line needs of its process. */
export interface CliHost {
  readonly environment: Environment;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs one command line. Mistakes of users are told with code and remedy, without a stack; with `--json` they are JSON too.
 *
 * @param args without the names of program and script
 * @returns the exit code
 */
export async function runCli(args: readonly string[], { environment, out, err }: CliHost): Promise<number> {
  let code: number = EXIT_CODES.done;
  const program = createProgram(async (command, asked, { json, ...options }) => {
    const connection = await connect(options, environment);
    try {
      const answer = await connection.ask({ command, asked });
      if ('isRight' in answer && !answer.isRight) code = EXIT_CODES.failure;
      out(json ? `${JSON.stringify(answer, null, 2)}\n` : `${render(command, answer)}\n`);
    } finally {
      await connection.close();
    }
  });
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)])
    command.exitOverride().configureOutput({ writeOut: out, writeErr: err });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage; // it has said so
    err(args.includes('--json') ? jsonOf(thrown) : textOf(thrown));
    return thrown instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failure;
  }
}

function textOf(thrown: unknown): string {
  const { code, message, remedy } = asStreamsError(thrown);
  return `millrace: ${message}\n${code}: ${remedy}\n`;
}

function jsonOf(thrown: unknown): string {
  const { code, kind, message, remedy, details } = asStreamsError(thrown);
  return `${JSON.stringify({ error: { code, kind, message, remedy, details } }, null, 2)}\n`;
}
