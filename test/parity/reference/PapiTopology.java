import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;

/** A topology of the Processor API, from a case. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class PapiTopology {
  private PapiTopology() {}

  static Topology build(JsonNode of, Topics topics) {
    Topology topology = new Topology();
    for (JsonNode node : of.get("papi")) add(topology, of, node, topics);
    return topology;
  }

  private static void add(Topology topology, JsonNode of, JsonNode node, Topics topics) {
    String name = node.path("name").asText();
    CaseType key = CaseType.of(node.get("key"));
    CaseType value = CaseType.of(node.get("value"));
    Serde<Object> keys = key.serde();
    Serde<Object> values = value.serde();
    switch (node.get("op").asText()) {
      case "source" -> {
        String[] names = texts(node, "topics");
        for (String topic : names) topics.reads(topic, key, value);
        topology.addSource(name, keys.deserializer(), values.deserializer(), names);
      }
      case "processor" -> topology.addProcessor(name, Processors.supplier(node), texts(node, "parents"));
      case "store" -> topology.addStateStore(
          CaseStores.named(of, node.get("store").asText()), texts(node, "processors"));
      case "globalStore" -> {
        StoreBuilder<?> store = CaseStores.named(of, node.get("store").asText());
        String topic = node.get("topic").asText();
        topics.reads(topic, key, value);
        topology.addGlobalStore(
            store.withLoggingDisabled(),
            node.get("source").asText(),
            keys.deserializer(),
            values.deserializer(),
            topic,
            name,
            (ProcessorSupplier) Processors.supplier(node, List.of(store.name())));
      }
      case "sink" -> {
        String topic = node.get("topic").asText();
        topics.writes(topic, key, value);
        topology.addSink(name, topic, keys.serializer(), values.serializer(), texts(node, "parents"));
      }
      default -> throw new IllegalArgumentException("node " + node);
    }
  }

  static String[] texts(JsonNode node, String field) {
    List<String> texts = new ArrayList<>();
    for (JsonNode text : node.path(field)) texts.add(text.asText());
    return texts.toArray(String[]::new);
  }
}
