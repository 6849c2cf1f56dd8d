import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * The Java client's truth: what a read_committed consumer reads from the start of each partition to its last stable offset.
 *
 * Arguments: topics, each `name` or `name@end,end,…` with an end (exclusive) for each partition. Prints one JSON line for each
 * partition; `sha` is the SHA-256 over all records as test/support/kafka/record-digest.ts writes them down: offset, "|",
 * timestamp, "|", key, "|", value, then for each header "|", name, "=", value, and at last ";". Null is "~".
 */
public final class ReadCommitted {
  private static final long TIMEOUT_MS = 60_000;

  public static void main(String[] arguments) throws Exception {
    try (var consumer = Clients.readCommittedConsumer()) {
      for (String argument : arguments) {
        String[] nameAndEnds = argument.split("@");
        String topic = nameAndEnds[0];
        String[] ends = nameAndEnds.length > 1 ? nameAndEnds[1].split(",") : new String[0];
        for (int partition = 0; partition < consumer.partitionsFor(topic).size(); partition++) {
          var at = new TopicPartition(topic, partition);
          long end = ends.length > 0 ? Long.parseLong(ends[partition]) : consumer.endOffsets(List.of(at)).get(at);
          System.out.println(read(consumer, at, end));
        }
      }
    }
  }

  private static String read(KafkaConsumer<byte[], byte[]> consumer, TopicPartition at, long end) throws Exception {
    consumer.assign(List.of(at));
    consumer.seekToBeginning(List.of(at));
    var digest = MessageDigest.getInstance("SHA-256");
    long records = 0;
    long deadline = System.currentTimeMillis() + TIMEOUT_MS;
    while (consumer.position(at) < end) {
      if (System.currentTimeMillis() > deadline) {
        throw new IllegalStateException(at + " stands at " + consumer.position(at) + " of " + end);
      }
      for (var record : consumer.poll(Duration.ofMillis(200))) {
        if (record.offset() >= end) continue;
        add(digest, record);
        records++;
      }
    }
    return String.format(
        "{\"topic\":\"%s\",\"partition\":%d,\"records\":%d,\"end\":%d,\"sha\":\"%s\"}",
        at.topic(), at.partition(), records, end, HexFormat.of().formatHex(digest.digest()));
  }

  private static void add(MessageDigest digest, ConsumerRecord<byte[], byte[]> record) {
    digest.update(Clients.utf8(record.offset() + "|" + record.timestamp() + "|"));
    digest.update(orTilde(record.key()));
    digest.update((byte) '|');
    digest.update(orTilde(record.value()));
    for (var header : record.headers()) {
      digest.update(Clients.utf8("|" + header.key() + "="));
      digest.update(orTilde(header.value()));
    }
    digest.update((byte) ';');
  }

  private static byte[] orTilde(byte[] bytes) {
    return bytes == null ? new byte[] {'~'} : bytes;
  }
}
