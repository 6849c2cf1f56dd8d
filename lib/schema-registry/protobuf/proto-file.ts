/** A parsed `.proto` file: the messages in it by name and by the path that Confluent's wire format has. */
import protobufjs, { type NamespaceBase, type ReflectionObject, type Root, type Type } from 'protobufjs';
import type { KnownSchema } from '../schema-registry.js';

export interface ProtoFile {
  readonly root: Root;
  /** The namespace that holds the file's messages. */
  readonly package: NamespaceBase;
}

/** @throws if the text is no `.proto` file */
export function parseProtoFile({ text, references }: KnownSchema, keepCase: boolean): ProtoFile {
  const root = new protobufjs.Root();
  // The file itself first: the order of its messages is theirs in the package, into which those it imports may come too.
  const { package: name, imports = [] } = protobufjs.parse(text, root, { keepCase });
  const imported = references.map((each) => protobufjs.parse(each.text, root, { keepCase }).imports ?? []);
  for (const path of new Set([...imports, ...imported.flat()])) addWellKnown(root, path);
  root.resolveAll();
  const found = name === undefined || name === null ? root : root.lookup(name);
  if (!(found instanceof protobufjs.Namespace)) throw new TypeError(`there is no package ${name}`);
  return { root, package: found };
}

/** The message of that name (full, or within the package), or the file's first. @throws if there is none */
export function messageOf(file: ProtoFile, name: string | undefined): Type {
  if (name !== undefined) return file.package.lookupType(name);
  const [first] = messagesIn(file.package);
  if (first === undefined) throw new TypeError('the file has no message');
  return first;
}

/** Where a message is in the file. */
export function pathOf(file: ProtoFile, message: Type): readonly number[] {
  const path: number[] = [];
  for (let at: ReflectionObject = message; at !== file.package; ) {
    const { parent } = at;
    if (parent === null) throw new TypeError(`message ${message.name} is not of the file`);
    path.unshift(messagesIn(parent).indexOf(at as Type));
    at = parent;
  }
  return path;
}

/** The message at a path, or undefined. */
export function messageAt(file: ProtoFile, path: readonly number[]): Type | undefined {
  let at: NamespaceBase | undefined = file.package;
  for (const index of path) at = at === undefined ? undefined : messagesIn(at)[index];
  return at instanceof protobufjs.Type ? at : undefined;
}

/** Full name without the dot before it. */
export function fullName({ fullName: name }: ReflectionObject): string {
  return name.startsWith('.') ? name.slice(1) : name;
}

/** Files of `google/protobuf/` that come with Protobuf, and so with no registry. */
function addWellKnown(root: Root, path: string): void {
  const file = protobufjs.common.get(path);
  if (file?.nested !== undefined) root.addJSON(file.nested);
}

function messagesIn(parent: NamespaceBase): readonly Type[] {
  return parent.nestedArray.filter((each) => each instanceof protobufjs.Type);
}
