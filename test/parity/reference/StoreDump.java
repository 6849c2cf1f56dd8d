import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.WindowStore;

/** The content of all stores that can be listed, in the order of the stores. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class StoreDump {
  private static final String REGISTRATIONS = "KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-";

  private StoreDump() {}

  static ObjectNode of(TopologyTestDriver driver, ObjectNode factory) {
    ObjectNode stores = factory.objectNode();
    for (Map.Entry<String, StateStore> entry : new TreeMap<>(driver.getAllStateStores()).entrySet()) {
      KeyValueIterator<?, ?> all = all(entry.getValue());
      if (all != null && !entry.getKey().startsWith(REGISTRATIONS)) stores.set(entry.getKey(), listed(all, factory));
      else if (all != null) all.close();
    }
    return stores;
  }

  private static KeyValueIterator<?, ?> all(StateStore store) {
    if (store instanceof VersionedKeyValueStore) return null;
    if (store instanceof WindowStore window) return window.all();
    if (store instanceof SessionStore session) return session.fetch(null, null);
    return store instanceof KeyValueStore keyValue ? keyValue.all() : null;
  }

  private static ArrayNode listed(KeyValueIterator<?, ?> all, ObjectNode factory) {
    ArrayNode list = factory.arrayNode();
    try (all) {
      while (all.hasNext()) {
        KeyValue<?, ?> entry = all.next();
        ObjectNode node = list.addObject();
        Decoder.put(node, "key", entry.key);
        Decoder.put(node, "value", unstamped(entry.value));
        if (entry.value instanceof ValueAndTimestamp<?> stamped) node.put("ts", stamped.timestamp());
      }
    }
    return list;
  }

  static Object unstamped(Object value) {
    return value instanceof ValueAndTimestamp<?> stamped ? stamped.value() : value;
  }
}
