import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.test.TestRecord;

/** One case, run through Kafka's test driver. */
final class CaseRun {
  private static final int MAX_MESSAGE = 250;
  private static final String REGISTRATIONS = "app-KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-";

  private final ObjectNode answer;
  private final Topics topics = new Topics();
  private final Map<String, TestInputTopic<byte[], byte[]>> inputs = new HashMap<>();
  private final Map<String, TestOutputTopic<byte[], byte[]>> readers = new HashMap<>();
  private final ArrayNode outputs;
  private final Map<String, ArrayNode> repartitions = new TreeMap<>();
  private final Map<String, ArrayNode> changelogs = new TreeMap<>();
  private final Map<String, Integer> opaque = new TreeMap<>();

  CaseRun(ObjectNode given) {
    answer = given.deepCopy();
    answer.remove(List.of("topologyDescription", "outputs", "stores", "repartitions", "changelogs",
        "opaqueInternalTopics", "error", "errorAt"));
    outputs = answer.arrayNode();
  }

  ObjectNode answer() throws Exception {
    Properties config = CaseConfig.of(answer);
    Topology topology;
    try {
      JsonNode of = answer.get("topology");
      topology = of.has("papi") ? PapiTopology.build(of, topics) : DslTopology.build(of, topics, config);
    } catch (RuntimeException thrown) {
      return failed(thrown, "build");
    }
    answer.put("topologyDescription", topology.describe().toString());
    Path folder = Files.createTempDirectory("reference");
    config.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    TopologyTestDriver driver = null;
    try {
      driver = new TopologyTestDriver(topology, config, Instant.ofEpochMilli(answer.path("initialWallClockMs").asLong()));
      pipeAll(driver);
    } catch (RuntimeException thrown) {
      if (driver != null) throw thrown;
      failed(thrown, "start");
    } finally {
      if (driver != null) close(driver);
      remove(folder);
    }
    return answer;
  }

  private void pipeAll(TopologyTestDriver driver) {
    Decoder decoder = new Decoder(driver);
    int index = 0;
    for (JsonNode input : answer.path("inputs")) {
      try {
        pipe(driver, input);
      } catch (RuntimeException thrown) {
        failed(thrown, index);
        break;
      }
      collect(driver, decoder, index);
      index += 1;
    }
    answer.set("outputs", outputs);
    if (!answer.has("error")) {
      answer.set("stores", StoreDump.of(driver, answer));
      for (JsonNode query : answer.path("queries")) answerQuery(driver, (ObjectNode) query);
    }
    setIfAny("repartitions", repartitions);
    setIfAny("changelogs", changelogs);
    if (!opaque.isEmpty()) {
      ObjectNode counts = answer.putObject("opaqueInternalTopics");
      opaque.forEach(counts::put);
    }
  }

  private void setIfAny(String field, Map<String, ArrayNode> lists) {
    if (!lists.isEmpty()) answer.putObject(field).setAll(lists);
  }

  private void pipe(TopologyTestDriver driver, JsonNode input) {
    if (input.has("advanceWallClockMs")) {
      driver.advanceWallClockTime(Duration.ofMillis(input.get("advanceWallClockMs").asLong()));
      return;
    }
    String topic = input.get("topic").asText();
    Topics.Types types = topics.ofInput(topic);
    Headers headers = new RecordHeaders();
    input.path("headers").fields().forEachRemaining(
        entry -> headers.add(entry.getKey(), entry.getValue().asText().getBytes(StandardCharsets.UTF_8)));
    byte[] key = types.key().serde().serializer().serialize(topic, javaValue(input.get("key")));
    byte[] value = types.value().serde().serializer().serialize(topic, javaValue(input.get("value")));
    inputs
        .computeIfAbsent(topic, name -> driver.createInputTopic(name, new ByteArraySerializer(), new ByteArraySerializer()))
        .pipeInput(new TestRecord<>(key, value, headers, input.get("ts").asLong()));
  }

  static Object javaValue(JsonNode json) {
    if (json == null || json.isNull()) return null;
    return json.isNumber() ? (Object) json.asLong() : json.asText();
  }

  private void collect(TopologyTestDriver driver, Decoder decoder, int index) {
    for (String topic : new TreeSet<>(driver.producedTopicNames())) {
      var reader = readers.computeIfAbsent(
          topic, name -> driver.createOutputTopic(name, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
      for (TestRecord<byte[], byte[]> record : reader.readRecordsToList()) keep(decoder, topic, record, index);
    }
  }

  private void keep(Decoder decoder, String topic, TestRecord<byte[], byte[]> record, int index) {
    ObjectNode node = answer.objectNode();
    boolean isInternal = topic.startsWith("app-");
    boolean isChangelog = isInternal && topic.endsWith("-changelog");
    if (isInternal && !(isChangelog ? decoder.changelog(topic, record, node) : decoder.repartition(topic, record, node))
        || topic.startsWith(REGISTRATIONS)) {
      opaque.merge(topic, 1, Integer::sum);
      return;
    }
    if (!isInternal) {
      node.put("topic", topic);
      Topics.Types types = topics.ofOutput(topic);
      Decoder.put(node, "key", types.key().serde().deserializer().deserialize(topic, record.key()));
      Decoder.put(node, "value", types.value().serde().deserializer().deserialize(topic, record.value()));
    }
    node.put("ts", record.timestamp());
    if (record.headers().iterator().hasNext() && !isChangelog) {
      ObjectNode headers = node.putObject("headers");
      for (Header header : record.headers())
        headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
    }
    node.put("i", index);
    if (isChangelog) changelogs.computeIfAbsent(topic, name -> answer.arrayNode()).add(node);
    else if (isInternal) repartitions.computeIfAbsent(topic, name -> answer.arrayNode()).add(node);
    else outputs.add(node);
  }

  private static void answerQuery(TopologyTestDriver driver, ObjectNode query) {
    VersionedKeyValueStore<Object, Object> store = driver.getVersionedKeyValueStore(query.get("store").asText());
    Object key = javaValue(query.get("key"));
    VersionedRecord<Object> found = query.has("asOf") ? store.get(key, query.get("asOf").asLong()) : store.get(key);
    if (found == null) {
      query.putNull("result");
      return;
    }
    ObjectNode result = query.putObject("result");
    Decoder.put(result, "value", found.value());
    result.put("ts", found.timestamp());
    result.putNull("validTo");
  }

  private ObjectNode failed(Throwable thrown, Object at) {
    answer.put("error", chain(thrown));
    answer.putPOJO("errorAt", at);
    return answer;
  }

  static String chain(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      String message = String.valueOf(each.getMessage());
      if (!text.isEmpty()) text.append(" <- ");
      text.append(each.getClass().getSimpleName()).append(": ");
      text.append(message, 0, Math.min(MAX_MESSAGE, message.length()));
    }
    return text.toString();
  }

  /** After an error the driver cannot always be closed; nothing that is left over matters here. */
  private static void close(TopologyTestDriver driver) {
    try {
      driver.close();
    } catch (RuntimeException thrown) {
      // The case has its answer.
    }
  }

  private static void remove(Path folder) throws Exception {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
    }
  }
}
