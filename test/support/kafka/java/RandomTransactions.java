import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Random transactions of the Java client: several producers whose transactions overlap, several partitions, commits and aborts,
 * all codecs, tombstones, null and empty keys, headers, odd timestamps, batches of every size.
 *
 * Arguments: a prefix, a first seed, and how many seeds. Each seed makes the topic `<prefix>-<seed>` (1 to 4 partitions), and
 * makes it the same way each time. No transaction is left open.
 */
public final class RandomTransactions {
  private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
  private static final int MAX_PARTITIONS = 4;
  private static final int MAX_PRODUCERS = 4;
  private static final int MAX_STEPS = 60;
  private static final int MAX_RECORDS_A_STEP = 40;
  private static final int KEYS = 50;
  /** Spreads small seeds: Java's generator begins alike for neighbours. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  /** 2020-09-13, in milliseconds. */
  private static final long SOME_DAY_MS = 1_600_000_000_000L;

  private final Random random;
  private final String topic;
  private final int partitions;

  private RandomTransactions(String topic, long seed) {
    this.topic = topic;
    this.random = new Random(seed * SPREAD);
    this.partitions = 1 + random.nextInt(MAX_PARTITIONS);
  }

  public static void main(String[] arguments) throws Exception {
    String prefix = arguments[0];
    long firstSeed = Long.parseLong(arguments[1]);
    int seeds = Integer.parseInt(arguments[2]);
    try (var admin = Clients.admin()) {
      for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
        var round = new RandomTransactions(prefix + "-" + seed, seed);
        Clients.createTopic(admin, round.topic, round.partitions, Map.of());
        round.run();
      }
    }
  }

  /** A producer, and whether its transaction is open. */
  private static final class Writer {
    final KafkaProducer<byte[], byte[]> producer;
    boolean open;

    Writer(KafkaProducer<byte[], byte[]> producer) {
      this.producer = producer;
    }

    void end(boolean commit) {
      if (!open) return;
      if (commit) producer.commitTransaction();
      else producer.abortTransaction();
      open = false;
    }
  }

  private void run() {
    var writers = new ArrayList<Writer>();
    int producers = 1 + random.nextInt(MAX_PRODUCERS);
    for (int i = 0; i < producers; i++) writers.add(new Writer(randomProducer(i)));

    int steps = 1 + random.nextInt(MAX_STEPS);
    for (int step = 0; step < steps; step++) {
      var writer = writers.get(random.nextInt(producers));
      if (random.nextInt(4) == 0) {
        writer.end(random.nextInt(3) > 0);
        continue;
      }
      if (!writer.open) writer.producer.beginTransaction();
      writer.open = true;
      int records = random.nextInt(1 + random.nextInt(MAX_RECORDS_A_STEP));
      for (int i = 0; i < records; i++) writer.producer.send(randomRecord());
      if (random.nextBoolean()) writer.producer.flush();
    }
    for (var writer : writers) {
      writer.end(random.nextBoolean());
      writer.producer.close();
    }
  }

  private KafkaProducer<byte[], byte[]> randomProducer(int number) {
    var settings = new HashMap<String, Object>();
    settings.put("compression.type", CODECS.get(random.nextInt(CODECS.size())));
    settings.put("batch.size", 1 << (6 + random.nextInt(10)));
    settings.put("linger.ms", random.nextInt(3));
    return Clients.producer(topic + "-" + number, settings);
  }

  private ProducerRecord<byte[], byte[]> randomRecord() {
    return new ProducerRecord<>(topic, random.nextInt(partitions), randomTimestamp(), randomKey(), randomValue(), randomHeaders());
  }

  private long randomTimestamp() {
    if (random.nextInt(20) == 0) return 0;
    return SOME_DAY_MS + random.nextInt(1_000_000) - 500_000;
  }

  private byte[] randomKey() {
    int kind = random.nextInt(20);
    if (kind == 0) return null;
    if (kind == 1) return new byte[0];
    // the key of an abort marker, and of a commit marker
    if (kind == 2) return new byte[] {0, 0, 0, (byte) random.nextInt(2)};
    return Clients.utf8("key-" + random.nextInt(KEYS));
  }

  private byte[] randomValue() {
    int kind = random.nextInt(10);
    if (kind == 0) return null;
    if (kind == 1) return new byte[0];
    var value = new byte[1 + random.nextInt(kind == 2 ? 8_000 : 200)];
    if (random.nextBoolean()) random.nextBytes(value);
    return value;
  }

  private List<Header> randomHeaders() {
    var headers = new ArrayList<Header>();
    int count = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0;
    for (int i = 0; i < count; i++) {
      byte[] value = random.nextInt(3) == 0 ? null : Clients.utf8("värde " + random.nextInt(100));
      headers.add(new RecordHeader("name-" + random.nextInt(3), value));
    }
    return headers;
  }
}
