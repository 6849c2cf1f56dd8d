/**
 * Where an operator may do without a serde, as types: only where all that the new type has is known to the serde of the old one.
 *
 * To lie within the old type is not enough. What has one field more is assignable to what it was made of, and a serde that drops
 * fields it does not know (that of a schema, mostly) would lose it behind the next topic or store, without a word.
 *
 * Invariants
 *   N1  no serde is asked for where the new type is the old one, also where neither is known yet (in a function with type parameters)
 *   N2  it is asked for where the new type is not within the old, and where a key of an object in it, however deep, is in none of the
 *       old type's objects at that place
 *   N3  keys that are symbols count for nothing: they mark a type, and no serde writes them
 */

/** Any type at all, of which those within `T` are inferred as they would be under `extends T`: texts stay literal where `T` has literals. */
export type Like<T> = T | NonNullable<unknown> | null | undefined;

/** What the compiler names where a serde is missing, with what to do. Nothing is of this type. */
export interface SerdeNeeded<Remedy extends string> {
  readonly serdeNeeded: Remedy;
}

/** Nothing to add where the serde may be left out; else what nobody has, so that the compiler says what is missing. */
export type Served<Before, After, Option extends string = 'value'> = 0 extends 1 & After // any: nobody can tell
  ? unknown
  : unknown[] extends Before[] // as lists: else the compiler would read `Before` out of the branch below
    ? unknown
    : [After] extends [Before]
      ? [Shape<NonNullable<After>>] extends [Shape<NonNullable<Before>>]
        ? unknown
        : SerdeNeeded<`the type changes: give its serde among the options, as '${Option}'`>
      : SerdeNeeded<`the type changes: give its serde among the options, as '${Option}'`>;

/**
 * The keys of a type and of what is in it: a type without keys that another lacks has a shape that is assignable to that one's.
 * Two types in turn, since the compiler takes what repeats itself three times for endless, and no longer compares it.
 */
type Shape<T> = 0 extends 1 & T
  ? T
  : unknown extends T
    ? unknown
    : {
        readonly keys: KeysOf<Parts<T>>;
        readonly at: { readonly [P in KeysOf<Parts<T>>]?: ShapeWithin<ValuesAt<Parts<T>, P>> };
      };
type ShapeWithin<T> = 0 extends 1 & T
  ? T
  : unknown extends T
    ? unknown
    : {
        readonly keys: KeysOf<Parts<T>>;
        readonly within: { readonly [P in KeysOf<Parts<T>>]?: Shape<ValuesAt<Parts<T>, P>> };
      };

/** Of a union, the members that have something in them; for lists, their elements. */
type Parts<T> = T extends Whole ? never : T extends readonly (infer E)[] ? ElementParts<E> : T;
type ElementParts<T> = T extends Whole ? never : T extends readonly (infer E)[] ? { readonly '[]': E } : T;
type Whole =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | Uint8Array
  | ((...args: never[]) => unknown);

type KeysOf<T> = T extends unknown ? Exclude<keyof T, symbol> : never;
type ValuesAt<T, P> = T extends unknown ? (P extends keyof T ? T[P] : never) : never;
