import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Makes the input of the benches: records of random keys (`key-0000000` and on) with values of printable characters.
 *
 * Arguments: topic, partitions, records, keys, bytes of a value. The same arguments make the same records.
 */
public final class LoadInput {
  private static final int VALUES = 1_000;

  public static void main(String[] arguments) throws Exception {
    String topic = arguments[0];
    int partitions = Integer.parseInt(arguments[1]);
    int records = Integer.parseInt(arguments[2]);
    int keys = Integer.parseInt(arguments[3]);
    int valueBytes = Integer.parseInt(arguments[4]);
    String brokers = System.getenv("KAFKA_BROKERS");

    try (var admin = Admin.create(Map.of("bootstrap.servers", brokers))) {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    }
    var random = new Random(1);
    var values = new String[VALUES];
    for (int i = 0; i < VALUES; i++) values[i] = randomText(random, valueBytes);
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "linger.ms", 10, "batch.size", 131_072);
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < records; i++) {
        String key = String.format("key-%07d", random.nextInt(keys));
        producer.send(new ProducerRecord<>(topic, key, values[i % VALUES]));
      }
    }
  }

  private static String randomText(Random random, int length) {
    var text = new StringBuilder(length);
    while (text.length() < length) text.append((char) ('a' + random.nextInt(26)));
    return text.toString();
  }
}
