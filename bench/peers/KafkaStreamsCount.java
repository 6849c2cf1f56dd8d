import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Counts by key with Kafka Streams; bench/count-member.ts is the same for Millrace, word for word.
 *
 * Arguments: application id, input topic, output topic, records in the input, commit interval in milliseconds, guarantee,
 * stream threads. Prints `started`, `first` and `last` (record processed) with the wall clock, then waits for the end of its
 * standard input: whoever watches sees when the input's offsets are committed. Prints its peak memory and ends.
 */
public final class KafkaStreamsCount {
  public static void main(String[] arguments) throws Exception {
    String applicationId = arguments[0];
    String input = arguments[1];
    String output = arguments[2];
    long records = Long.parseLong(arguments[3]);
    Path stateFolder = Files.createTempDirectory("kafka-streams-");

    var settings = new Properties();
    settings.put("bootstrap.servers", System.getenv("KAFKA_BROKERS"));
    settings.put("application.id", applicationId);
    settings.put("commit.interval.ms", arguments[4]);
    settings.put("processing.guarantee", arguments[5]);
    settings.put("num.stream.threads", arguments[6]);
    settings.put("statestore.cache.max.bytes", "0");
    settings.put("auto.offset.reset", "earliest");
    settings.put("state.dir", stateFolder.toString());

    var seen = new AtomicLong();
    var builder = new StreamsBuilder();
    builder.stream(input, Consumed.with(Serdes.String(), Serdes.String()))
        .peek((key, value) -> {
          long count = seen.incrementAndGet();
          if (count == 1) say("first");
          if (count == records) say("last");
        })
        .groupByKey()
        .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts"))
        .toStream()
        .to(output, Produced.with(Serdes.String(), Serdes.Long()));

    var streams = new KafkaStreams(builder.build(), settings);
    say("started");
    streams.start();
    while (System.in.read() >= 0) {
      // what comes has no meaning; the end has
    }
    streams.close(Duration.ofSeconds(20));
    System.out.println("peakRssKb " + peakRssKb());
    System.out.println("processed " + seen.get());
    try (var paths = Files.walk(stateFolder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  private static void say(String what) {
    System.out.println(what + " " + System.currentTimeMillis());
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
