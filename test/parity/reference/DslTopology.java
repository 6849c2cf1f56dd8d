import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.BranchedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.state.StoreBuilder;

/** A topology of the DSL, from a case: each operator in the order of the case, since that order makes the generated names. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class DslTopology {
  /** What an operator gave: one of Kafka's classes, with the types of its keys and values. */
  record Made(Object of, CaseType key, CaseType value) {
    KStream<Object, Object> stream() {
      return (KStream<Object, Object>) of;
    }

    KTable<Object, Object> table() {
      return (KTable<Object, Object>) of;
    }
  }

  private final StreamsBuilder builder;
  private final JsonNode topology;
  private final Topics topics;
  private final Map<String, Made> made = new HashMap<>();

  private DslTopology(StreamsBuilder builder, JsonNode topology, Topics topics) {
    this.builder = builder;
    this.topology = topology;
    this.topics = topics;
  }

  static Topology build(JsonNode topology, Topics topics, Properties config) {
    StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
    new DslTopology(builder, topology, topics).addAll();
    return builder.build(config);
  }

  private void addAll() {
    Set<String> globals = new HashSet<>();
    for (JsonNode node : topology.get("nodes"))
      if (node.get("op").asText().equals("globalStore")) globals.add(node.get("store").asText());
    for (JsonNode store : topology.path("stores"))
      if (!globals.contains(store.get("name").asText())) builder.addStateStore(CaseStores.builder(store));
    for (JsonNode node : topology.get("nodes")) {
      Made result = add(node);
      if (result != null && node.has("id")) made.put(node.get("id").asText(), result);
    }
  }

  private Made input(JsonNode node, String field) {
    Made found = made.get(node.path(field).asText());
    if (found == null) throw new IllegalArgumentException("the case has no " + node.path(field));
    return found;
  }

  private Made add(JsonNode node) {
    return switch (node.get("op").asText()) {
      case "stream" -> stream(node);
      case "table" -> table(node);
      case "globalTable" -> globalTable(node);
      case "globalStore" -> globalStore(node);
      case "merge" -> merge(node);
      case "split" -> split(node);
      case "to" -> to(node);
      case "join", "leftJoin", "outerJoin" -> Joins.add(node, input(node, "left"), input(node, "right"));
      case "cogroup" -> cogroup(node);
      case "windowedBy", "count", "reduce", "aggregate" -> Aggregations.add(node, input(node, "in"));
      default -> {
        Made input = input(node, "in");
        yield input.of() instanceof KTable ? ofTable(node, input) : ofStream(node, input);
      }
    };
  }

  private Made stream(JsonNode node) {
    CaseType key = CaseType.of(node.get("key"));
    CaseType value = CaseType.of(node.get("value"));
    List<String> names =
        node.has("topics") ? Arrays.asList(PapiTopology.texts(node, "topics")) : List.of(node.get("topic").asText());
    for (String name : names) topics.reads(name, key, value);
    return new Made(builder.stream(names, consumed(node, key, value)), key, value);
  }

  private Made table(JsonNode node) {
    CaseType key = CaseType.of(node.get("key"));
    CaseType value = CaseType.of(node.get("value"));
    String topic = node.get("topic").asText();
    topics.reads(topic, key, value);
    return new Made(builder.table(topic, consumed(node, key, value), Stored.keyValue(node, key, value)), key, value);
  }

  private Made globalTable(JsonNode node) {
    CaseType key = CaseType.of(node.get("key"));
    CaseType value = CaseType.of(node.get("value"));
    String topic = node.get("topic").asText();
    topics.reads(topic, key, value);
    GlobalKTable<Object, Object> of =
        builder.globalTable(topic, consumed(node, key, value), Stored.keyValue(node, key, value));
    return new Made(of, key, value);
  }

  private Made globalStore(JsonNode node) {
    CaseType key = CaseType.of(node.get("key"));
    CaseType value = CaseType.of(node.get("value"));
    StoreBuilder<?> store = CaseStores.named(topology, node.get("store").asText());
    String topic = node.get("topic").asText();
    topics.reads(topic, key, value);
    builder.addGlobalStore(
        (StoreBuilder) store.withLoggingDisabled(),
        topic,
        consumed(node, key, value),
        (org.apache.kafka.streams.processor.api.ProcessorSupplier) Processors.supplier(node, List.of(store.name())));
    return null;
  }

  private static Consumed<Object, Object> consumed(JsonNode node, CaseType key, CaseType value) {
    Consumed<Object, Object> consumed = Consumed.with(key.serde(), value.serde());
    if (node.has("name")) consumed = consumed.withName(node.get("name").asText());
    return node.has("timestampExtractor") ? consumed.withTimestampExtractor(FIELD_1) : consumed;
  }

  private static final TimestampExtractor FIELD_1 =
      (record, partitionTime) -> Long.parseLong(String.valueOf(record.value()).split("\\|")[1]);

  private Made merge(JsonNode node) {
    Made left = input(node, "left");
    KStream<Object, Object> right = input(node, "right").stream();
    return with(left, hasName(node) ? left.stream().merge(right, name(node)) : left.stream().merge(right));
  }

  private Made split(JsonNode node) {
    Made input = input(node, "in");
    BranchedKStream<Object, Object> split = hasName(node) ? input.stream().split(name(node)) : input.stream().split();
    for (JsonNode branch : node.path("branches")) {
      var predicate = Functions.predicate(branch.get("pred"));
      if (branch.has("name")) split.branch(predicate, Branched.as(branch.get("name").asText()));
      else split.branch(predicate);
    }
    Map<String, KStream<Object, Object>> streams =
        node.has("default") ? split.defaultBranch(Branched.as(node.get("default").asText())) : split.noDefaultBranch();
    streams.forEach((name, stream) -> made.put(node.get("id").asText() + "." + name, with(input, stream)));
    return null;
  }

  private Made to(JsonNode node) {
    Made input = input(node, "in");
    Produced<Object, Object> produced = Produced.with(input.key().serde(), input.value().serde());
    if (hasName(node)) produced = produced.withName(node.get("name").asText());
    if (!node.has("topicByFirstChar")) {
      String topic = node.get("topic").asText();
      topics.writes(topic, input.key(), input.value());
      input.stream().to(topic, produced);
      return null;
    }
    JsonNode byChar = node.get("topicByFirstChar");
    for (JsonNode topic : byChar) topics.writes(topic.asText(), input.key(), input.value());
    input.stream().to(new ValueFirstChar(byChar), produced);
    return null;
  }

  /** Chooses a topic by the value's first character; its name is part of the topology's description. */
  private record ValueFirstChar(JsonNode topics) implements TopicNameExtractor<Object, Object> {
    @Override
    public String extract(Object key, Object value, RecordContext context) {
      return topics.get(Functions.text(value).substring(0, 1)).asText();
    }

    @Override
    public String toString() {
      return "valueFirstChar";
    }
  }

  private Made cogroup(JsonNode node) {
    var groups = node.get("groups");
    Made first = input(groups.get(0), "in");
    var cogrouped = ((KGroupedStream<Object, Object>) first.of()).cogroup(Functions.aggregator(groups.get(0).get("fn")));
    for (int index = 1; index < groups.size(); index += 1) {
      var group = (KGroupedStream<Object, Object>) input(groups.get(index), "in").of();
      cogrouped = cogrouped.cogroup(group, Functions.aggregator(groups.get(index).get("fn")));
    }
    return new Made(cogrouped, first.key(), CaseType.STRING);
  }

  private Made ofStream(JsonNode node, Made input) {
    KStream<Object, Object> stream = input.stream();
    boolean named = hasName(node);
    switch (node.get("op").asText()) {
      case "filter" -> {
        var predicate = Functions.predicate(node.get("pred"));
        return with(input, named ? stream.filter(predicate, name(node)) : stream.filter(predicate));
      }
      case "filterNot" -> {
        var predicate = Functions.predicate(node.get("pred"));
        return with(input, named ? stream.filterNot(predicate, name(node)) : stream.filterNot(predicate));
      }
      case "mapValues" -> {
        var map = Functions.mapper(node.get("fn"));
        var of = named
            ? stream.mapValues((k, v) -> map.map(k, v), name(node))
            : stream.mapValues((k, v) -> map.map(k, v));
        return new Made(of, input.key(), mapped(node, "fn", input));
      }
      case "map" -> {
        var keyMap = Functions.mapper(node.get("keyFn"));
        var valueMap = Functions.mapper(node.get("valueFn"));
        var of = named
            ? stream.map((k, v) -> KeyValue.pair(keyMap.map(k, v), valueMap.map(k, v)), name(node))
            : stream.map((k, v) -> KeyValue.pair(keyMap.map(k, v), valueMap.map(k, v)));
        return new Made(of, mapped(node, "keyFn", input), mapped(node, "valueFn", input));
      }
      case "selectKey" -> {
        var map = Functions.mapper(node.get("fn"));
        var of = named ? stream.selectKey(map::map, name(node)) : stream.selectKey(map::map);
        return new Made(of, mapped(node, "fn", input), input.value());
      }
      case "flatMap" -> {
        var of = named ? stream.flatMap((k, v) -> wordPairs(v), name(node)) : stream.flatMap((k, v) -> wordPairs(v));
        return new Made(of, CaseType.STRING, CaseType.STRING);
      }
      case "flatMapValues" -> {
        return with(
            input, named ? stream.flatMapValues(v -> words(v), name(node)) : stream.flatMapValues(v -> words(v)));
      }
      case "peek" -> {
        return with(input, named ? stream.peek((k, v) -> {}, name(node)) : stream.peek((k, v) -> {}));
      }
      case "groupByKey" -> {
        return with(input, stream.groupByKey(grouped(node, input.key(), input.value())));
      }
      case "groupBy" -> {
        var map = Functions.mapper(node.get("fn"));
        CaseType key = mapped(node, "fn", input);
        return new Made(stream.groupBy(map::map, grouped(node, key, input.value())), key, input.value());
      }
      case "toTable" -> {
        var stored = Stored.keyValue(node, input.key(), input.value());
        return with(input, named ? stream.toTable(name(node), stored) : stream.toTable(stored));
      }
      case "repartition" -> {
        Repartitioned<Object, Object> options = Repartitioned.with(input.key().serde(), input.value().serde());
        if (named) options = options.withName(node.get("name").asText());
        if (node.has("partitions")) options = options.withNumberOfPartitions(node.get("partitions").asInt());
        return with(input, stream.repartition(options));
      }
      case "process" -> {
        String[] stores = PapiTopology.texts(node, "stores");
        var supplier = Processors.supplier(node);
        var of = named ? stream.process(supplier, name(node), stores) : stream.process(supplier, stores);
        return new Made(of, input.key(), Processors.forwardedType(node.get("processor")));
      }
      case "processValues" -> {
        String[] stores = PapiTopology.texts(node, "stores");
        var supplier = Processors.fixedKeySupplier(node);
        var of = named ? stream.processValues(supplier, name(node), stores) : stream.processValues(supplier, stores);
        return new Made(of, input.key(), Processors.forwardedType(node.get("processor")));
      }
      default -> throw new IllegalArgumentException("operator of a stream " + node);
    }
  }

  private Made ofTable(JsonNode node, Made input) {
    KTable<Object, Object> table = input.table();
    boolean named = hasName(node);
    boolean stored = node.has("store");
    switch (node.get("op").asText()) {
      case "filter", "filterNot" -> {
        var predicate = Functions.predicate(node.get("pred"));
        boolean not = node.get("op").asText().equals("filterNot");
        var options = Stored.keyValue(node, input.key(), input.value());
        Object of;
        if (stored && named) {
          of = not ? table.filterNot(predicate, name(node), options) : table.filter(predicate, name(node), options);
        } else if (stored) {
          of = not ? table.filterNot(predicate, options) : table.filter(predicate, options);
        } else if (named) {
          of = not ? table.filterNot(predicate, name(node)) : table.filter(predicate, name(node));
        } else {
          of = not ? table.filterNot(predicate) : table.filter(predicate);
        }
        return with(input, of);
      }
      case "mapValues" -> {
        var map = Functions.mapper(node.get("fn"));
        CaseType value = mapped(node, "fn", input);
        var options = Stored.keyValue(node, input.key(), value);
        Object of;
        if (stored && named) of = table.mapValues((k, v) -> map.map(k, v), name(node), options);
        else if (stored) of = table.mapValues((k, v) -> map.map(k, v), options);
        else if (named) of = table.mapValues((k, v) -> map.map(k, v), name(node));
        else of = table.mapValues((k, v) -> map.map(k, v));
        return new Made(of, input.key(), value);
      }
      case "groupBy" -> {
        var keyMap = Functions.mapper(node.get("keyFn"));
        var valueMap = Functions.mapper(node.get("valueFn"));
        CaseType key = mapped(node, "keyFn", input);
        CaseType value = mapped(node, "valueFn", input);
        var of = table.groupBy(
            (k, v) -> KeyValue.pair(keyMap.map(k, v), valueMap.map(k, v)), grouped(node, key, value));
        return new Made(of, key, value);
      }
      case "toStream" -> {
        return with(input, named ? table.toStream(name(node)) : table.toStream());
      }
      case "suppress" -> {
        return with(input, table.suppress((Suppressed) suppressed(node)));
      }
      default -> throw new IllegalArgumentException("operator of a table " + node);
    }
  }

  private static Suppressed<?> suppressed(JsonNode node) {
    JsonNode limits = node.path("buffer");
    boolean unlogged = node.path("loggingDisabled").asBoolean();
    Suppressed<?> suppressed;
    if (node.get("until").asText().equals("windowCloses") || limits.path("whenFull").asText().equals("shutDown")) {
      var buffer = Suppressed.BufferConfig.unbounded();
      if (limits.has("maxRecords")) buffer = buffer.withMaxRecords(limits.get("maxRecords").asLong());
      if (limits.has("maxBytes")) buffer = buffer.withMaxBytes(limits.get("maxBytes").asLong());
      if (!limits.isMissingNode()) buffer = buffer.shutDownWhenFull();
      if (unlogged) buffer = buffer.withLoggingDisabled();
      suppressed = node.get("until").asText().equals("windowCloses")
          ? Suppressed.untilWindowCloses(buffer)
          : Suppressed.untilTimeLimit(CaseStores.ms(node, "timeLimitMs"), buffer);
    } else {
      Duration limit = CaseStores.ms(node, "timeLimitMs");
      if (limits.isMissingNode()) {
        var buffer = Suppressed.BufferConfig.unbounded();
        suppressed = Suppressed.untilTimeLimit(limit, unlogged ? buffer.withLoggingDisabled() : buffer);
      } else {
        var buffer = limits.has("maxRecords")
            ? Suppressed.BufferConfig.maxRecords(limits.get("maxRecords").asLong())
            : Suppressed.BufferConfig.maxBytes(limits.get("maxBytes").asLong());
        if (limits.has("maxRecords") && limits.has("maxBytes"))
          buffer = buffer.withMaxBytes(limits.get("maxBytes").asLong());
        buffer = buffer.emitEarlyWhenFull();
        suppressed = Suppressed.untilTimeLimit(limit, unlogged ? buffer.withLoggingDisabled() : buffer);
      }
    }
    return hasName(node) ? suppressed.withName(node.get("name").asText()) : suppressed;
  }

  private static Grouped<Object, Object> grouped(JsonNode node, CaseType key, CaseType value) {
    Grouped<Object, Object> grouped = Grouped.with(key.serde(), value.serde());
    return hasName(node) ? grouped.withName(node.get("name").asText()) : grouped;
  }

  private static CaseType mapped(JsonNode node, String field, Made input) {
    return Functions.mappedType(node.get(field), input.key(), input.value());
  }

  static Made with(Made input, Object of) {
    return new Made(of, input.key(), input.value());
  }

  static boolean hasName(JsonNode node) {
    return node.has("name");
  }

  static Named name(JsonNode node) {
    return Named.as(node.get("name").asText());
  }

  private static List<Object> words(Object value) {
    List<Object> words = new ArrayList<>();
    if (value == null) return words;
    for (String word : Functions.text(value).split(" ")) if (!word.isEmpty()) words.add(word);
    return words;
  }

  private static List<KeyValue<Object, Object>> wordPairs(Object value) {
    return words(value).stream().map(word -> KeyValue.pair(word, word)).toList();
  }
}
