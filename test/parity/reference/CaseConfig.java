import com.fasterxml.jackson.databind.JsonNode;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;

/** The settings that a case runs with: those of all cases, and its own. */
final class CaseConfig {
  private CaseConfig() {}

  static Properties of(JsonNode given) {
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:9092");
    config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class.getName());
    config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class.getName());
    config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, "0");
    // The test driver's clock stands still between records: throttled by it, most results would never come.
    config.put(StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_OUTER_JOIN_SPURIOUS_RESULTS_FIX, 0L);
    config.put(StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_WINDOWED_AGGREGATION, 0L);
    given.path("config").fields().forEachRemaining(entry -> config.put(entry.getKey(), entry.getValue().asText()));
    return config;
  }
}
