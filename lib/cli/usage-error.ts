import { CommandRefusedError } from '../model/errors.js';

/** A command that can not be meant: the command line ends with 2. */
export class UsageError extends CommandRefusedError {}
