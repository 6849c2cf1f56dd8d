/** The parts of two codecs of others that tests compare ours with; neither package has types. */
declare module 'snappyjs' {
  export function compress(bytes: Uint8Array): Uint8Array;
  export function uncompress(bytes: Uint8Array): Uint8Array;
}
declare module 'lz4js' {
  export function compress(bytes: Uint8Array): Uint8Array;
  export function decompress(bytes: Uint8Array): Uint8Array;
}
