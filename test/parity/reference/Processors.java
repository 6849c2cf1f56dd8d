import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

/** The processors that cases name, as test/parity/case-processors.ts has them. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Processors {
  private Processors() {}

  static ProcessorSupplier<Object, Object, Object, Object> supplier(JsonNode node) {
    return supplier(node, List.of(PapiTopology.texts(node, "stores")));
  }

  static ProcessorSupplier<Object, Object, Object, Object> supplier(JsonNode node, List<String> stores) {
    JsonNode ref = node.get("processor");
    String store = stores.isEmpty() ? "" : stores.get(0);
    return () -> processor(ref, store);
  }

  static FixedKeyProcessorSupplier<Object, Object, Object> fixedKeySupplier(JsonNode node) {
    String name = type(node.get("processor"));
    String store = node.has("stores") ? node.get("stores").get(0).asText() : "";
    return () -> switch (name) {
      case "running" -> new Running(store);
      case "forward" -> new FixedForward();
      default -> throw new IllegalArgumentException("processor of values " + name);
    };
  }

  /** The type of the values that a processor forwards. */
  static CaseType forwardedType(JsonNode ref) {
    return type(ref).equals("storeCounter") ? CaseType.LONG : CaseType.STRING;
  }

  private static String type(JsonNode ref) {
    return ref.isObject() ? ref.get("type").asText() : ref.asText();
  }

  private static Processor<Object, Object, Object, Object> processor(JsonNode given, String store) {
    JsonNode ref = given.isObject() ? given : TextNode.valueOf("");
    return switch (type(given)) {
      case "forward" -> new Step((c, r) -> c.forward(r));
      case "dupForward" -> new Step((c, r) -> {
        c.forward(r.withValue(r.value() + "1"));
        c.forward(r.withValue(r.value() + "2").withTimestamp(r.timestamp() + 1));
      });
      case "route" -> new Step((c, r) -> c.forward(r, child(ref, r.value())));
      case "addHeader" -> new Step((c, r) -> {
        Headers headers = new RecordHeaders(r.headers());
        headers.add(ref.path("header").asText(), ref.path("headerValue").asText().getBytes(StandardCharsets.UTF_8));
        c.forward(r.withHeaders(headers));
      });
      case "shiftTimestamp" -> new Step(
          (c, r) -> c.forward(r.withTimestamp(r.timestamp() + ref.path("byMs").asLong())));
      case "metadata" -> new Step((c, r) -> {
        var at = c.recordMetadata().orElseThrow();
        c.forward(r.withValue(at.topic() + "/" + at.partition() + "/" + at.offset() + "/task" + c.taskId() + "/st"
            + c.currentStreamTimeMs()));
      });
      case "globalPut" -> new Step((c, r) -> ((KeyValueStore) c.getStateStore(store)).put(r.key(), r.value()));
      case "globalLookup" -> new Step((c, r) -> c.forward(r.withValue(
          r.value() + "/" + ((KeyValueStore) c.getStateStore(ref.path("store").asText())).get(r.key()))));
      case "punctuate" -> new Punctuate(ref);
      case "flushOnPunctuate" -> new FlushOnPunctuate(ref, store);
      case "storeCounter" -> new WithStore<KeyValueStore<Object, Long>>(store, (s, c, r) -> {
        Long before = s.get(r.key());
        long count = (before == null ? 0 : before) + 1;
        s.put(r.key(), count);
        c.forward(r.withValue(count));
      });
      case "running" -> new WithStore<KeyValueStore<Object, Object>>(store, (s, c, r) -> {
        Object before = s.get(r.key());
        String after = before == null ? String.valueOf(r.value()) : before + "," + r.value();
        s.put(r.key(), after);
        c.forward(r.withValue(after));
      });
      case "tsKvPut" -> new WithStore<TimestampedKeyValueStore<Object, Object>>(store, Processors::putNewer);
      case "kvCommand" -> new WithStore<KeyValueStore<String, String>>(store, (s, c, r) -> c.forward(
          r.withValue(keyValueCommand(s, (String) r.key(), r.value() == null ? "" : (String) r.value()))));
      case "windowCommand" -> new WithStore<WindowStore<String, String>>(store, (s, c, r) -> c.forward(
          r.withValue(windowCommand(s, (String) r.key(), r.value() == null ? "" : (String) r.value(), r.timestamp()))));
      case "dedup" -> new WithStore<WindowStore<Object, Object>>(store, (s, c, r) -> {
        long reach = ref.path("windowMs").asLong();
        try (WindowStoreIterator<Object> seen =
            s.fetch(r.key(), Math.max(0, r.timestamp() - reach), r.timestamp() + reach)) {
          if (seen.hasNext()) return;
        }
        s.put(r.key(), r.value(), r.timestamp());
        c.forward(r);
      });
      case "sessionAppend" -> new WithStore<SessionStore<Object, Object>>(
          store, (s, c, r) -> c.forward(r.withValue(appendToSession(s, r, ref.path("gapMs").asLong()))));
      case "versionedPut" -> new WithStore<VersionedKeyValueStore<Object, Object>>(
          store, (s, c, r) -> c.forward(r.withValue(putVersion(s, r))));
      default -> throw new IllegalArgumentException("processor " + given);
    };
  }

  private static String child(JsonNode ref, Object value) {
    for (JsonNode rule : ref.path("rules"))
      if (value != null && String.valueOf(value).startsWith(rule.get("prefix").asText()))
        return rule.get("child").asText();
    return ref.path("default").asText();
  }

  private static void putNewer(
      TimestampedKeyValueStore<Object, Object> store, ProcessorContext<Object, Object> context, Record<Object, Object> r) {
    ValueAndTimestamp<Object> before = store.get(r.key());
    if (before != null && before.timestamp() > r.timestamp()) {
      context.forward(r.withValue("stale<" + before.timestamp()));
      return;
    }
    store.put(r.key(), ValueAndTimestamp.make(String.valueOf(r.value()), r.timestamp()));
    context.forward(r.withValue(before == null ? "null" : before.value() + "#" + before.timestamp()));
  }

  private static String keyValueCommand(KeyValueStore<String, String> store, String key, String command) {
    String[] parts = command.split(":", -1);
    String first = parts.length > 1 ? parts[1] : "";
    String second = parts.length > 2 ? parts[2] : "";
    switch (parts[0]) {
      case "put" -> store.put(key, first);
      case "putNull" -> store.put(key, null);
      case "putIfAbsent" -> {
        return String.valueOf(store.putIfAbsent(key, first));
      }
      case "delete" -> {
        return String.valueOf(store.delete(key));
      }
      case "get" -> {
        return String.valueOf(store.get(key));
      }
      case "range" -> {
        return listed(store.range(open(first), open(second)));
      }
      case "reverseRange" -> {
        return listed(store.reverseRange(open(first), open(second)));
      }
      case "prefix" -> {
        return listed(store.prefixScan(first, new StringSerializer()));
      }
      case "all" -> {
        return listed(store.all());
      }
      default -> throw new IllegalArgumentException("store command " + command);
    }
    return "ok";
  }

  private static String open(String end) {
    return end.isEmpty() ? null : end;
  }

  private static String listed(KeyValueIterator<String, String> entries) {
    StringJoiner list = new StringJoiner(",", "[", "]");
    try (entries) {
      while (entries.hasNext()) {
        KeyValue<String, String> entry = entries.next();
        list.add(entry.key + "=" + entry.value);
      }
    }
    return list.toString();
  }

  private static String windowCommand(WindowStore<String, String> store, String key, String command, long timestamp) {
    String[] parts = command.split(":", -1);
    switch (parts[0]) {
      case "put" -> store.put(key, parts[1], timestamp);
      case "del" -> store.put(key, null, timestamp);
      case "get" -> {
        return String.valueOf(store.fetch(key, Long.parseLong(parts[1])));
      }
      case "fetch" -> {
        return values(store.fetch(key, Long.parseLong(parts[1]), Long.parseLong(parts[2])));
      }
      case "backward" -> {
        return values(store.backwardFetch(key, Long.parseLong(parts[1]), Long.parseLong(parts[2])));
      }
      case "all" -> {
        return windows(store.all());
      }
      case "fetchAll" -> {
        return windows(store.fetchAll(Long.parseLong(parts[1]), Long.parseLong(parts[2])));
      }
      default -> throw new IllegalArgumentException("window store command " + command);
    }
    return "ok";
  }

  private static String values(WindowStoreIterator<String> entries) {
    StringJoiner list = new StringJoiner(",", "[", "]");
    try (entries) {
      while (entries.hasNext()) {
        KeyValue<Long, String> entry = entries.next();
        list.add(entry.key + "=" + entry.value);
      }
    }
    return list.toString();
  }

  private static String windows(KeyValueIterator<Windowed<String>, String> entries) {
    StringJoiner list = new StringJoiner(",", "[", "]");
    try (entries) {
      while (entries.hasNext()) {
        KeyValue<Windowed<String>, String> entry = entries.next();
        list.add(entry.key.key() + "@" + entry.key.window().start() + "=" + entry.value);
      }
    }
    return list.toString();
  }

  private static String appendToSession(SessionStore<Object, Object> store, Record<Object, Object> r, long gapMs) {
    long start = r.timestamp();
    long end = r.timestamp();
    List<KeyValue<Windowed<Object>, Object>> found = new ArrayList<>();
    try (var sessions = store.findSessions(r.key(), r.timestamp() - gapMs, r.timestamp() + gapMs)) {
      sessions.forEachRemaining(found::add);
    }
    StringJoiner joined = new StringJoiner("&");
    for (KeyValue<Windowed<Object>, Object> session : found) {
      start = Math.min(start, session.key.window().start());
      end = Math.max(end, session.key.window().end());
      joined.add(String.valueOf(session.value));
      store.remove(session.key);
    }
    String value = found.isEmpty() ? String.valueOf(r.value()) : joined + "+" + r.value();
    store.put(new Windowed<>(r.key(), new SessionWindow(start, end)), value);
    return start + "-" + end + ":" + value;
  }

  private static String putVersion(VersionedKeyValueStore<Object, Object> store, Record<Object, Object> r) {
    String value = (String) r.value();
    if (value == null) return "validTo=" + store.put(r.key(), null, r.timestamp());
    if (value.equals("?")) return version(store.get(r.key()));
    if (value.startsWith("?")) return version(store.get(r.key(), Long.parseLong(value.substring(1))));
    if (value.startsWith("-")) return version(store.delete(r.key(), Long.parseLong(value.substring(1))));
    return "validTo=" + store.put(r.key(), value, r.timestamp());
  }

  private static String version(VersionedRecord<Object> found) {
    if (found == null) return "none";
    return found.value() + "@" + found.timestamp() + ".."
        + (found.validTo().isPresent() ? found.validTo().get().toString() : "inf");
  }

  private static PunctuationType clock(JsonNode ref) {
    return ref.path("clock").asText().equals("wall") ? PunctuationType.WALL_CLOCK_TIME : PunctuationType.STREAM_TIME;
  }

  private interface Work {
    void on(ProcessorContext<Object, Object> context, Record<Object, Object> record);
  }

  private interface StoreWork<S> {
    void on(S store, ProcessorContext<Object, Object> context, Record<Object, Object> record);
  }

  private static final class Step implements Processor<Object, Object, Object, Object> {
    private final Work work;
    private ProcessorContext<Object, Object> context;

    Step(Work work) {
      this.work = work;
    }

    @Override
    public void init(ProcessorContext<Object, Object> given) {
      context = given;
    }

    @Override
    public void process(Record<Object, Object> record) {
      work.on(context, record);
    }
  }

  private static final class WithStore<S> implements Processor<Object, Object, Object, Object> {
    private final String name;
    private final StoreWork<S> work;
    private ProcessorContext<Object, Object> context;
    private S store;

    WithStore(String name, StoreWork<S> work) {
      this.name = name;
      this.work = work;
    }

    @Override
    public void init(ProcessorContext<Object, Object> given) {
      context = given;
      store = (S) given.getStateStore(name);
    }

    @Override
    public void process(Record<Object, Object> record) {
      work.on(store, context, record);
    }
  }

  private static final class Punctuate implements Processor<Object, Object, Object, Object> {
    private final JsonNode ref;
    private ProcessorContext<Object, Object> context;
    private Cancellable schedule;
    private int fired;

    Punctuate(JsonNode ref) {
      this.ref = ref;
    }

    @Override
    public void init(ProcessorContext<Object, Object> given) {
      context = given;
      schedule = given.schedule(Duration.ofMillis(ref.path("intervalMs").asLong()), clock(ref), time -> {
        fired += 1;
        if (ref.has("cancelAfter") && fired == ref.get("cancelAfter").asInt()) schedule.cancel();
        context.forward(new Record<>("punct", "p" + fired + "@" + time, time));
      });
    }

    @Override
    public void process(Record<Object, Object> record) {
      context.forward(record);
    }
  }

  private static final class FlushOnPunctuate implements Processor<Object, Object, Object, Object> {
    private final JsonNode ref;
    private final String name;
    private KeyValueStore<Object, Object> store;

    FlushOnPunctuate(JsonNode ref, String name) {
      this.ref = ref;
      this.name = name;
    }

    @Override
    public void init(ProcessorContext<Object, Object> context) {
      store = context.getStateStore(name);
      context.schedule(Duration.ofMillis(ref.path("intervalMs").asLong()), clock(ref), time -> {
        try (KeyValueIterator<Object, Object> all = store.all()) {
          while (all.hasNext()) {
            KeyValue<Object, Object> entry = all.next();
            context.forward(new Record<>(entry.key, entry.value, time));
            store.delete(entry.key);
          }
        }
      });
    }

    @Override
    public void process(Record<Object, Object> record) {
      store.put(record.key(), record.value());
    }
  }

  private static final class Running implements FixedKeyProcessor<Object, Object, Object> {
    private final String name;
    private FixedKeyProcessorContext<Object, Object> context;
    private KeyValueStore<Object, Object> store;

    Running(String name) {
      this.name = name;
    }

    @Override
    public void init(FixedKeyProcessorContext<Object, Object> given) {
      context = given;
      store = given.getStateStore(name);
    }

    @Override
    public void process(FixedKeyRecord<Object, Object> record) {
      Object before = store.get(record.key());
      String after = before == null ? String.valueOf(record.value()) : before + "," + record.value();
      store.put(record.key(), after);
      context.forward(record.withValue(after));
    }
  }

  private static final class FixedForward implements FixedKeyProcessor<Object, Object, Object> {
    private FixedKeyProcessorContext<Object, Object> context;

    @Override
    public void init(FixedKeyProcessorContext<Object, Object> given) {
      context = given;
    }

    @Override
    public void process(FixedKeyRecord<Object, Object> record) {
      context.forward(record);
    }
  }
}
