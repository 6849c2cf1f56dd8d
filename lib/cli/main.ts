#!/usr/bin/env node
/** The executable `millrace`. */
import { runCli } from './run-cli.js';

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
