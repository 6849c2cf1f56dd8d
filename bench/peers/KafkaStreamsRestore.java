import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Restores a table of latest values with Kafka Streams from an empty disk; bench/restore-member.ts is the same for Millrace.
 *
 * Arguments: application id, input topic, stream threads. Prints `started`, `restoreStarted`, `restored` (each time a partition is) with the wall
 * clock, and at its end, which comes with that of its standard input, `records` (restored) and its peak memory.
 */
public final class KafkaStreamsRestore {
  public static void main(String[] arguments) throws Exception {
    Path stateFolder = Files.createTempDirectory("kafka-streams-");
    var settings = new Properties();
    settings.put("bootstrap.servers", System.getenv("KAFKA_BROKERS"));
    settings.put("application.id", arguments[0]);
    settings.put("num.stream.threads", arguments[2]);
    settings.put("commit.interval.ms", "100");
    settings.put("processing.guarantee", "exactly_once_v2");
    settings.put("auto.offset.reset", "earliest");
    settings.put("state.dir", stateFolder.toString());
    settings.put("internal.leave.group.on.close", true); // the next run is not to wait for this one's session to end

    var builder = new StreamsBuilder();
    builder.stream(arguments[1], Consumed.with(Serdes.String(), Serdes.String()))
        .groupByKey()
        .reduce((before, value) -> value, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("latest"));

    var records = new AtomicLong();
    var streams = new KafkaStreams(builder.build(), settings);
    streams.setGlobalStateRestoreListener(new StateRestoreListener() {
      private boolean begun = false;

      @Override
      public synchronized void onRestoreStart(TopicPartition partition, String store, long from, long to) {
        if (!begun) say("restoreStarted", System.currentTimeMillis());
        begun = true;
      }

      @Override
      public void onBatchRestored(TopicPartition partition, String store, long offset, long count) {}

      @Override
      public synchronized void onRestoreEnd(TopicPartition partition, String store, long count) {
        records.addAndGet(count);
        say("restored", System.currentTimeMillis());
      }
    });
    say("started", System.currentTimeMillis());
    streams.start();
    while (System.in.read() >= 0) {
      // what comes has no meaning; the end has
    }
    streams.close(Duration.ofSeconds(20));
    say("records", records.get());
    say("peakRssKb", peakRssKb());
    try (var paths = Files.walk(stateFolder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  private static void say(String what, long value) {
    System.out.println(what + " " + value);
  }

  /** Linux's high-water mark; 0 elsewhere. */
  private static long peakRssKb() throws Exception {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) return 0;
    try (var lines = Files.lines(status)) {
      return lines.filter(line -> line.startsWith("VmHWM"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    }
  }
}
