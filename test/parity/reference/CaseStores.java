import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** The stores that a case declares. */
final class CaseStores {
  private CaseStores() {}

  /** The declared store of a name, or null. */
  static StoreBuilder<?> named(JsonNode topology, String name) {
    for (JsonNode store : topology.path("stores")) if (store.get("name").asText().equals(name)) return builder(store);
    return null;
  }

  static StoreBuilder<?> builder(JsonNode store) {
    String name = store.get("name").asText();
    Serde<Object> key = CaseType.of(store.get("key")).serde();
    Serde<Object> value = CaseType.of(store.get("value")).serde();
    boolean inMemory = store.path("inMemory").asBoolean();
    return switch (store.get("type").asText()) {
      case "keyValue" -> Stores.keyValueStoreBuilder(
          inMemory ? Stores.inMemoryKeyValueStore(name) : Stores.persistentKeyValueStore(name), key, value);
      case "timestampedKeyValue" -> Stores.timestampedKeyValueStoreBuilder(
          inMemory ? Stores.inMemoryKeyValueStore(name) : Stores.persistentTimestampedKeyValueStore(name), key, value);
      case "versioned" -> Stores.versionedKeyValueStoreBuilder(
          Stores.persistentVersionedKeyValueStore(name, ms(store, "historyRetentionMs")), key, value);
      case "window" -> window(store, name, inMemory, key, value);
      case "session" -> Stores.sessionStoreBuilder(
          inMemory
              ? Stores.inMemorySessionStore(name, ms(store, "retentionMs"))
              : Stores.persistentSessionStore(name, ms(store, "retentionMs")),
          key,
          value);
      default -> throw new IllegalArgumentException("store " + store);
    };
  }

  private static StoreBuilder<?> window(
      JsonNode store, String name, boolean inMemory, Serde<Object> key, Serde<Object> value) {
    Duration retention = ms(store, "retentionMs");
    Duration size = ms(store, "windowMs");
    boolean duplicates = store.path("retainDuplicates").asBoolean();
    return Stores.windowStoreBuilder(
        inMemory
            ? Stores.inMemoryWindowStore(name, retention, size, duplicates)
            : Stores.persistentWindowStore(name, retention, size, duplicates),
        key,
        value);
  }

  static Duration ms(JsonNode of, String field) {
    return Duration.ofMillis(of.path(field).asLong());
  }
}
