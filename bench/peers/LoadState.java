import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Fills a changelog as an application would: every key once (`key-00000000` and on), then some of them again, with values of random
 * printable characters that are all different.
 *
 * Arguments: topic, keys, bytes of a value, records of keys written again. The same arguments make the same records.
 */
public final class LoadState {
  public static void main(String[] arguments) throws Exception {
    String topic = arguments[0];
    int keys = Integer.parseInt(arguments[1]);
    int valueBytes = Integer.parseInt(arguments[2]);
    int again = Integer.parseInt(arguments[3]);
    int first = again > 0 ? keys : 0;
    var random = new Random(1 + first);
    Map<String, Object> settings =
        Map.of("bootstrap.servers", System.getenv("KAFKA_BROKERS"), "linger.ms", 10, "batch.size", 131_072);
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      int records = again > 0 ? again : keys;
      for (int i = 0; i < records; i++) {
        int key = again > 0 ? random.nextInt(keys) : i;
        producer.send(new ProducerRecord<>(topic, String.format("key-%08d", key), randomText(random, valueBytes)));
      }
    }
  }

  private static String randomText(Random random, int length) {
    var text = new StringBuilder(length);
    while (text.length() < length) text.append((char) (' ' + random.nextInt(95)));
    return text.toString();
  }
}
