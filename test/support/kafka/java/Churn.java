import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes to a topic of one partition for some seconds: transactions of four producers in turn, a third of them aborted, over few
 * keys, with tombstones.
 *
 * Arguments: topic, cleanup policy, seconds. A compacted topic is cleaned all the while; its tombstones stay.
 */
public final class Churn {
  private static final int PRODUCERS = 4;
  private static final int KEYS = 200;
  private static final int RECORDS = 50;
  private static final int PAUSE_MS = 20;

  public static void main(String[] arguments) throws Exception {
    String topic = arguments[0];
    String policy = arguments[1];
    long deadline = System.currentTimeMillis() + 1_000 * Long.parseLong(arguments[2]);
    try (var admin = Clients.admin()) {
      var settings = Map.of(
          "cleanup.policy", policy,
          "segment.ms", "300",
          "min.cleanable.dirty.ratio", "0.001",
          "min.compaction.lag.ms", "0",
          "max.compaction.lag.ms", "500");
      Clients.createTopic(admin, topic, 1, settings);
    }
    System.out.println("created");

    var producers = new ArrayList<KafkaProducer<byte[], byte[]>>();
    for (int i = 0; i < PRODUCERS; i++) producers.add(Clients.producer(topic + "-" + i, Map.of("batch.size", 1_000)));
    var random = new Random(3);
    for (int transaction = 0; System.currentTimeMillis() < deadline; transaction++) {
      var producer = producers.get(transaction % PRODUCERS);
      producer.beginTransaction();
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = random.nextInt(5) == 0 ? null : Clients.utf8("transaction " + transaction + ", record " + i);
        producer.send(new ProducerRecord<>(topic, 0, Clients.utf8("key-" + random.nextInt(KEYS)), value));
      }
      if (random.nextInt(3) == 0) producer.abortTransaction();
      else producer.commitTransaction();
      Thread.sleep(PAUSE_MS);
    }
    for (var producer : producers) producer.close();
  }
}
