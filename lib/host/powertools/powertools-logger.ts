/**
 * Log lines as Powertools for AWS Lambda writes them: JSON, with the function, its request id and whether it started cold.
 *
 * `message` is the event's name, `service` and `applicationId` the application, and our fields stand beside them. A field `message`
 * is written as `errorMessage`: the name is taken. The number of the plan is on every line of an invocation from the first line
 * on that tells one. POWERTOOLS_LOG_LEVEL, or Lambda's own setting, says what is written; default `INFO`.
 */

import { Logger as Powertools } from '@aws-lambda-powertools/logger';
import { originalStack } from '../../model/original-error.js';
import { messageOf } from '../../model/thrown.js';
import type { LogFields, Logger } from '../host.js';

/** The part of Lambda's context that lines tell; a test's may have less. */
export interface InvocationContext {
  readonly awsRequestId: string;
  readonly functionName?: string;
  readonly functionVersion?: string;
  readonly invokedFunctionArn?: string;
  readonly memoryLimitInMB?: string;
}

/** A logger that is told of each invocation. */
export interface PowertoolsLogger extends Logger {
  /** Lines from now on are of this invocation; those of children too. */
  startInvocation(context: InvocationContext): void;
}

type Level = 'debug' | 'info' | 'warn' | 'error';
type PowertoolsContext = Parameters<Powertools['addContext']>[0];

/** Makes the logger of one execution environment. */
export function createPowertoolsLogger({ applicationId }: { readonly applicationId: string }): PowertoolsLogger {
  const powertools = new Powertools({
    serviceName: applicationId,
    persistentKeys: { applicationId },
    jsonReplacerFn: (_, value) =>
      value instanceof Map ? Object.fromEntries(value) : value instanceof Set ? [...value] : value,
  });
  let planNumber: unknown;

  const write = (level: Level, event: string, fields: LogFields) => {
    planNumber = fields.planNumber ?? planNumber;
    try {
      powertools[level](event, attributesOf(planNumber === undefined ? fields : { ...fields, planNumber }));
    } catch (cause) {
      powertools[level](event, { unwritable: messageOf(cause), fields: Object.keys(fields) });
    }
  };
  const loggerWith = (base: LogFields): Logger => {
    const at = (level: Level) => (event: string, fields?: LogFields) => write(level, event, { ...base, ...fields });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error(event, fields, thrown) {
        const stack = originalStack(thrown);
        at('error')(event, stack === undefined ? fields : { ...fields, stack });
      },
      child: (fields) => loggerWith({ ...base, ...fields }),
    };
  };

  return {
    ...loggerWith({}),
    startInvocation(context) {
      planNumber = undefined;
      // Powertools wants the whole context of Lambda, and reads what is named above.
      powertools.addContext(context as PowertoolsContext);
    },
  };
}

/** Without the name that Powertools keeps for the event. */
function attributesOf({ message, ...fields }: LogFields): Record<string, unknown> {
  return message === undefined ? fields : { ...fields, errorMessage: message };
}
