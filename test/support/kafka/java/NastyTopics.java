import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Makes topics of one partition that a read_committed reader easily gets wrong.
 *
 * Argument: a prefix for the topics' names and the transactional ids. Leaves a transaction of `<prefix>-b` open in
 * `<prefix>-open-first`, for up to ten minutes: whoever initialises that transactional id ends it. The compacted topics take
 * some seconds more until the cleaner has been over them.
 */
public final class NastyTopics {
  private static final List<String> CODECS = List.of("gzip", "snappy", "lz4", "zstd");
  private static final int OPEN_FOR_MS = 600_000;
  /** Longer than segment.ms of the compacted topics: the next record begins a new segment. */
  private static final int NEXT_SEGMENT_MS = 1_200;

  private static final int EMPTY_TAILS = 4;
  /** A key that is written again and again. */
  private static final int HOT = 5_000;

  private static final byte[] BIG = new byte[3_000];

  private final String prefix;
  private final KafkaProducer<byte[], byte[]> a;
  private final KafkaProducer<byte[], byte[]> b;

  private NastyTopics(String prefix) {
    this.prefix = prefix;
    this.a = producer("a", Map.of());
    this.b = producer("b", Map.of("transaction.timeout.ms", OPEN_FOR_MS));
  }

  public static void main(String[] arguments) throws Exception {
    String prefix = arguments[0];
    try (var admin = Clients.admin()) {
      createTopics(admin, prefix);
    }
    var topics = new NastyTopics(prefix);
    topics.interleaved();
    topics.repeated();
    topics.zeroKey();
    topics.longAborted();
    topics.headers();
    for (String codec : CODECS) topics.compressed(codec);
    topics.compacted();
    topics.emptyTail();
    topics.openFirst();
    // Closing the other producer would end its transaction.
    Runtime.getRuntime().halt(0);
  }

  private static void createTopics(Admin admin, String prefix) throws Exception {
    for (String name : List.of("interleaved", "repeated", "zero-key", "long", "headers", "open-first")) {
      Clients.createTopic(admin, prefix + "-" + name, 1, Map.of());
    }
    for (String codec : CODECS) Clients.createTopic(admin, prefix + "-" + codec, 1, Map.of());
    // a megabyte, the least that Kafka takes: the cleaner joins segments up to this size
    var compacted = Map.of(
        "segment.bytes", "1048576",
        "cleanup.policy", "compact",
        "segment.ms", "1000",
        "min.cleanable.dirty.ratio", "0.001",
        "delete.retention.ms", "0",
        "min.compaction.lag.ms", "0",
        "max.compaction.lag.ms", "1000");
    for (String name : List.of("compacted", "empty-tail")) Clients.createTopic(admin, prefix + "-" + name, 1, compacted);
  }

  /** Two aborted transactions overlap; the one that began later is aborted first. */
  private void interleaved() throws Exception {
    String topic = "interleaved";
    a.beginTransaction();
    put(a, topic, 1, "a0");
    b.beginTransaction();
    put(b, topic, 2, "b1");
    put(a, topic, 1, "a2");
    b.abortTransaction();
    put(a, topic, 1, "a4");
    a.abortTransaction();
    commit(b, topic, 2, "kept");
  }

  /** One producer aborts and commits in turn. */
  private void repeated() throws Exception {
    String topic = "repeated";
    for (int round = 0; round < 3; round++) {
      a.beginTransaction();
      put(a, topic, 7, "lost-" + round);
      put(a, topic, 7, "lost-" + round + "b");
      a.abortTransaction();
      commit(a, topic, 7, "kept-" + round);
    }
  }

  /** An aborted record whose key looks like an abort marker's. */
  private void zeroKey() throws Exception {
    String topic = "zero-key";
    a.beginTransaction();
    for (int key : new int[] {1, 0, 2, 3}) put(a, topic, key, "lost-" + key);
    a.abortTransaction();
    commit(a, topic, 0, "kept");
  }

  /** An aborted transaction larger than a fetch. */
  private void longAborted() throws Exception {
    String topic = "long";
    a.beginTransaction();
    for (int key = 1; key <= 2_000; key++) send(a, topic, key(key), BIG);
    a.flush();
    a.abortTransaction();
    commit(a, topic, 9, "kept");
  }

  /** Headers with and without values, null and empty keys and values, timestamps out of order. */
  private void headers() throws Exception {
    a.beginTransaction();
    for (int i = 0; i < 50; i++) {
      byte[] key = i % 5 == 0 ? null : key(i);
      byte[] value = i % 7 == 0 ? null : new byte[i % 3];
      Header header = new RecordHeader("h" + i, i % 2 == 0 ? null : Clients.utf8("v" + i));
      a.send(new ProducerRecord<>(prefix + "-headers", 0, (long) ((i * 7919) % 1000), key, value, List.of(header)));
    }
    a.commitTransaction();
  }

  private void compressed(String codec) throws Exception {
    var random = new Random(4);
    try (var producer = producer(codec, Map.of("compression.type", codec))) {
      producer.beginTransaction();
      for (int i = 0; i < 3_000; i++) {
        byte[] value = new byte[40 + random.nextInt(300)];
        Arrays.fill(value, (byte) ('a' + i % 26));
        send(producer, codec, key(i), value);
      }
      producer.commitTransaction();
    }
  }

  /**
   * Many producers, transactional ones and plain ones, over 400 keys: commits, aborts, tombstones.
   *
   * The cleaner keeps the last batch of each plain producer, empty, as the trace of its sequence numbers, and the markers of
   * the transactional ones.
   */
  private void compacted() throws Exception {
    String topic = "compacted";
    var producers = new ArrayList<KafkaProducer<byte[], byte[]>>();
    for (int i = 0; i < 6; i++) producers.add(producer("c" + i, Map.of()));
    var random = new Random(1);
    for (int transaction = 0; transaction < 60; transaction++) {
      var producer = producers.get(transaction % producers.size());
      producer.beginTransaction();
      for (int i = 0; i < 300; i++) {
        byte[] value = new byte[200];
        random.nextBytes(value);
        int key = random.nextInt(400);
        send(producer, topic, key(key), transaction > 40 && key % 2 == 0 ? null : value);
      }
      if (transaction % 5 == 4) producer.abortTransaction();
      else producer.commitTransaction();
      if (transaction % 10 == 9) {
        putOnceAndLeave(topic, transaction % 400);
        Thread.sleep(NEXT_SEGMENT_MS);
      }
    }
    var last = producers.get(0);
    last.beginTransaction();
    for (int key = 0; key < 400; key++) send(last, topic, key(key), key % 2 == 0 ? null : Clients.utf8("last-" + key));
    last.commitTransaction();
    Thread.sleep(NEXT_SEGMENT_MS);
    commit(last, topic, 9_999, "roll");
    for (var producer : producers) producer.close();
  }

  /**
   * Segments that end with a batch that is empty once the cleaner was there: live keys, as many as keep the cleaner from joining
   * two segments, and at the end a record of another producer on a key that is written again later.
   */
  private void emptyTail() throws Exception {
    String topic = "empty-tail";
    for (int segment = 0; segment < EMPTY_TAILS; segment++) {
      a.beginTransaction();
      for (int i = 0; i < 200; i++) send(a, topic, key(segment * 200 + i), BIG);
      a.commitTransaction();
      putOnceAndLeave(topic, HOT);
      Thread.sleep(NEXT_SEGMENT_MS);
    }
    commit(a, topic, HOT, "last");
    Thread.sleep(NEXT_SEGMENT_MS);
    commit(a, topic, 9_999, "roll");
  }

  /** One record of a producer that never writes again. */
  private void putOnceAndLeave(String topic, int key) throws Exception {
    try (var producer = Clients.idempotentProducer()) {
      put(producer, topic, key, "the last of its producer");
    }
  }

  /** An open transaction in front of committed records. */
  private void openFirst() throws Exception {
    String topic = "open-first";
    b.beginTransaction();
    put(b, topic, 1, "open");
    a.beginTransaction();
    put(a, topic, 2, "behind-1");
    put(a, topic, 3, "behind-2");
    a.commitTransaction();
  }

  private KafkaProducer<byte[], byte[]> producer(String name, Map<String, Object> settings) {
    var small = new HashMap<String, Object>(Map.of("batch.size", 4_000, "linger.ms", 0));
    small.putAll(settings);
    return Clients.producer(prefix + "-" + name, small);
  }

  private void commit(KafkaProducer<byte[], byte[]> producer, String topic, int key, String value) throws Exception {
    producer.beginTransaction();
    put(producer, topic, key, value);
    producer.commitTransaction();
  }

  /** Sends one record and waits for it: a batch of its own. */
  private void put(KafkaProducer<byte[], byte[]> producer, String topic, int key, String value) throws Exception {
    producer.send(new ProducerRecord<>(prefix + "-" + topic, 0, key(key), Clients.utf8(value))).get();
  }

  private void send(KafkaProducer<byte[], byte[]> producer, String topic, byte[] key, byte[] value) {
    producer.send(new ProducerRecord<>(prefix + "-" + topic, 0, key, value));
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }
}
