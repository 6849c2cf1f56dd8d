import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.streams.kstream.Aggregator;
import org.apache.kafka.streams.kstream.Merger;
import org.apache.kafka.streams.kstream.Predicate;
import org.apache.kafka.streams.kstream.Reducer;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;
import org.apache.kafka.streams.kstream.Windowed;

/** The functions that cases name, as test/parity/case-functions.ts has them. */
final class Functions {
  interface Mapper {
    Object map(Object key, Object value);
  }

  private interface OfValue {
    Object map(Object value);
  }

  private Functions() {}

  static String name(JsonNode ref) {
    return ref.isObject() ? ref.get("fn").asText() : ref.asText();
  }

  private static String arg(JsonNode ref) {
    return ref.isObject() && ref.has("arg") ? ref.get("arg").asText() : "";
  }

  static Mapper mapper(JsonNode ref) {
    String arg = arg(ref);
    return switch (name(ref)) {
      case "value" -> (k, v) -> v;
      case "key" -> (k, v) -> k;
      case "upper" -> ofValue(v -> text(v).toUpperCase());
      case "append" -> ofValue(v -> text(v) + arg);
      case "prepend" -> ofValue(v -> arg + text(v));
      case "length" -> ofValue(v -> (long) text(v).length());
      case "parseLong" -> ofValue(v -> Long.parseLong(text(v)));
      case "toString" -> ofValue(Functions::text);
      case "times" -> ofValue(v -> (Long) v * Long.parseLong(arg));
      case "field" -> ofValue(v -> field(text(v), Integer.parseInt(arg)));
      case "const" -> (k, v) -> arg;
      case "null" -> (k, v) -> null;
      case "keyColonValue" -> (k, v) -> text(k) + ":" + text(v);
      case "nullIf" -> (k, v) -> v != null && text(v).equals(arg) ? null : v;
      case "keyAppend" -> (k, v) -> text(k) + arg;
      case "firstChar" -> ofValue(v -> firstChar(text(v)));
      case "keyFirstChar" -> (k, v) -> k == null ? null : firstChar(text(k));
      case "windowedKeyToString" -> (k, v) -> k instanceof Windowed<?> w ? windowText(w) : k;
      case "unwindowKey" -> (k, v) -> k instanceof Windowed<?> w ? w.key() : k;
      case "throwIf" -> (k, v) -> throwIf(v, arg);
      default -> throw new IllegalArgumentException("mapper " + ref);
    };
  }

  /** The type that a mapper gives, from those of key and value. */
  static CaseType mappedType(JsonNode ref, CaseType key, CaseType value) {
    return switch (name(ref)) {
      case "length", "parseLong" -> CaseType.LONG;
      case "key" -> key;
      case "unwindowKey" -> key.unwindowed();
      case "value", "times", "nullIf", "throwIf", "null" -> value;
      default -> CaseType.STRING;
    };
  }

  static Predicate<Object, Object> predicate(JsonNode ref) {
    String arg = arg(ref);
    return switch (name(ref)) {
      case "true" -> (k, v) -> true;
      case "notNull" -> (k, v) -> v != null;
      case "isNull" -> (k, v) -> v == null;
      case "startsWith" -> (k, v) -> v != null && text(v).startsWith(arg);
      case "contains" -> (k, v) -> v != null && text(v).contains(arg);
      case "keyStartsWith" -> (k, v) -> k != null && text(k).startsWith(arg);
      case "longer" -> (k, v) -> v != null && text(v).length() > Integer.parseInt(arg);
      case "gt" -> (k, v) -> v != null && (Long) v > Long.parseLong(arg);
      case "even" -> (k, v) -> v != null && (Long) v % 2 == 0;
      default -> throw new IllegalArgumentException("predicate " + ref);
    };
  }

  static Reducer<Object> reducer(JsonNode ref) {
    Aggregator<Object, Object, Object> fold = aggregator(ref);
    return (aggregate, value) -> fold.apply(null, value, aggregate);
  }

  static Aggregator<Object, Object, Object> aggregator(JsonNode ref) {
    String arg = arg(ref);
    return switch (name(ref)) {
      case "concat" -> (k, v, a) -> text(a) + "+" + text(v);
      case "concatMinus" -> (k, v, a) -> text(a) + "-" + text(v);
      case "concatTag" -> (k, v, a) -> text(a) + arg + text(v);
      case "sum" -> (k, v, a) -> (Long) a + (Long) v;
      case "subtract" -> (k, v, a) -> (Long) a - (Long) v;
      case "max" -> (k, v, a) -> Math.max((Long) a, (Long) v);
      case "sumLength" -> (k, v, a) -> (Long) a + text(v).length();
      case "last" -> (k, v, a) -> v;
      case "first" -> (k, v, a) -> a;
      case "nullIf" -> (k, v, a) -> v != null && text(v).equals(arg) ? null : text(a) + "+" + text(v);
      default -> throw new IllegalArgumentException("aggregator " + ref);
    };
  }

  static Merger<Object, Object> merger(JsonNode ref) {
    return switch (ref == null ? "sum" : name(ref)) {
      case "concat" -> (k, a, b) -> text(a) + "&" + text(b);
      case "sum" -> (k, a, b) -> (Long) a + (Long) b;
      default -> throw new IllegalArgumentException("merger " + ref);
    };
  }

  static ValueJoinerWithKey<Object, Object, Object, Object> joiner(JsonNode ref) {
    if (ref == null) return (k, l, r) -> text(l) + "+" + text(r);
    String arg = arg(ref);
    return switch (name(ref)) {
      case "concat" -> (k, l, r) -> text(l) + "+" + text(r);
      case "concatWithKey" -> (k, l, r) -> text(k) + ":" + text(l) + "+" + text(r);
      case "nullIfRight" -> (k, l, r) -> r != null && text(r).equals(arg) ? null : text(l) + "+" + text(r);
      default -> throw new IllegalArgumentException("joiner " + ref);
    };
  }

  static String text(Object value) {
    return String.valueOf(value);
  }

  private static Mapper ofValue(OfValue map) {
    return (key, value) -> value == null ? null : map.map(value);
  }

  private static String field(String value, int index) {
    String[] fields = value.split("\\|", -1);
    return index >= fields.length || fields[index].isEmpty() ? null : fields[index];
  }

  private static String firstChar(String value) {
    return value.isEmpty() ? null : value.substring(0, 1);
  }

  private static String windowText(Windowed<?> key) {
    return key.key() + "@" + key.window().start() + "/" + key.window().end();
  }

  private static Object throwIf(Object value, String arg) {
    if (value != null && text(value).equals(arg)) throw new IllegalStateException("value " + arg);
    return value;
  }
}
