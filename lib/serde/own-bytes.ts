/** What to do where an application cannot read what it has written itself, to a repartition topic or a store: for the remedy of the error. */
export const READ_OWN_BYTES =
  'The application wrote these bytes itself: use the serde that wrote them, one that reads what it writes. A schema that transforms does not: name the type that it makes, as json<T>().';
