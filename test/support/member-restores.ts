import { MemberRestores } from '../../lib/runtime/member-restores.js';
import type { TaskWorld } from './task-world.js';

/** The restores of a member whose reports never arrive: whoever asks for a place waits. */
export function lonelyRestores(
  { app, ports }: TaskWorld,
  settings: Partial<TaskWorld['app']['settings']>,
): MemberRestores {
  return new MemberRestores({
    app: { ...app, settings: { ...app.settings, ...settings } },
    ports,
    self: { memberId: 'member-1', incarnation: 1 },
    logger: ports.host.logger,
    memoryBytes: undefined,
    reported: () => new Promise(() => undefined),
    changed: () => undefined,
  });
}
