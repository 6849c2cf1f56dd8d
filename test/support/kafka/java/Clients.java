import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own clients, on the broker that KAFKA_BROKERS names. */
final class Clients {
  private static final String BROKERS = Objects.requireNonNullElse(System.getenv("KAFKA_BROKERS"), "127.0.0.1:9092");

  private Clients() {}

  static Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", BROKERS));
  }

  /** A topic with one replica for each partition, which keeps records whatever their timestamps. */
  static void createTopic(Admin admin, String name, int partitions, Map<String, String> settings) throws Exception {
    Map<String, String> all = new HashMap<>(Map.of("retention.ms", "-1"));
    all.putAll(settings);
    admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(all))).all().get();
  }

  /** An initialised transactional producer. */
  static KafkaProducer<byte[], byte[]> producer(String transactionalId, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", BROKERS, "transactional.id", transactionalId));
    all.putAll(settings);
    var producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    producer.initTransactions();
    return producer;
  }

  /** A producer without transactions, idempotent as producers are by default. */
  static KafkaProducer<byte[], byte[]> idempotentProducer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", BROKERS), new ByteArraySerializer(), new ByteArraySerializer());
  }

  static KafkaConsumer<byte[], byte[]> readCommittedConsumer() {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", BROKERS, "isolation.level", "read_committed", "fetch.max.wait.ms", 10);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
