import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** How an operator keeps its state. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Stored {
  private Stored() {}

  /** In a key-value store, versioned if the node asks for it. */
  static Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> keyValue(
      JsonNode node, CaseType key, CaseType value) {
    if (node.has("versionedMs")) {
      var supplier = Stores.persistentVersionedKeyValueStore(
          node.get("store").asText(), Duration.ofMillis(node.get("versionedMs").asLong()));
      return (Materialized) Materialized.<Object, Object>as(supplier).withKeySerde(key.serde()).withValueSerde(value.serde());
    }
    return any(node, key, value);
  }

  /** In the store that fits the operator. */
  static <S extends StateStore> Materialized<Object, Object, S> any(JsonNode node, CaseType key, CaseType value) {
    Materialized<Object, Object, S> stored = node.has("store")
        ? Materialized.<Object, Object, S>as(node.get("store").asText())
            .withKeySerde(key.serde())
            .withValueSerde(value.serde())
        : Materialized.<Object, Object, S>with(key.serde(), value.serde());
    if (node.path("inMemory").asBoolean()) stored = stored.withStoreType(Materialized.StoreType.IN_MEMORY);
    if (node.path("loggingDisabled").asBoolean()) stored = stored.withLoggingDisabled();
    if (node.has("retentionMs")) stored = stored.withRetention(CaseStores.ms(node, "retentionMs"));
    return stored;
  }
}
