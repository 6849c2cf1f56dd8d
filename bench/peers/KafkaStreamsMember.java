import java.nio.file.Path;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * One instance of an application that counts by key with Kafka Streams, to be killed; the members of bench/failover.ts do the same.
 *
 * Arguments: application id, input topic, output topic, state folder, session time-out, heartbeat interval and commit interval in
 * milliseconds, standbys. Prints `state NAME` and `tasks ACTIVE STANDBY` (partitions with commas between them, `-` for none)
 * whenever they change, each with the wall clock at its end. Runs until it is killed.
 */
public final class KafkaStreamsMember {
  private static final long LOOK_MS = 20;

  public static void main(String[] arguments) throws Exception {
    var settings = new Properties();
    settings.put("bootstrap.servers", System.getenv("KAFKA_BROKERS"));
    settings.put("application.id", arguments[0]);
    settings.put("state.dir", Path.of(arguments[3]).toString());
    settings.put("session.timeout.ms", arguments[4]);
    settings.put("heartbeat.interval.ms", arguments[5]);
    settings.put("commit.interval.ms", arguments[6]);
    settings.put("num.standby.replicas", arguments[7]);
    settings.put("processing.guarantee", "exactly_once_v2");
    settings.put("statestore.cache.max.bytes", "0");
    settings.put("auto.offset.reset", "earliest");

    var builder = new StreamsBuilder();
    builder.stream(arguments[1], Consumed.with(Serdes.String(), Serdes.String()))
        .groupByKey()
        .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts"))
        .toStream()
        .to(arguments[2], Produced.with(Serdes.String(), Serdes.Long()));

    var streams = new KafkaStreams(builder.build(), settings);
    streams.setStateListener((now, before) -> say("state " + now));
    streams.start();
    String said = "";
    while (true) {
      String tasks = tasksOf(streams);
      if (!tasks.equals(said)) say(tasks);
      said = tasks;
      Thread.sleep(LOOK_MS);
    }
  }

  private static String tasksOf(KafkaStreams streams) {
    var threads = streams.metadataForLocalThreads();
    String active = threads.stream().flatMap(thread -> thread.activeTasks().stream())
        .map(task -> String.valueOf(task.taskId().partition())).sorted().collect(Collectors.joining(","));
    String standby = threads.stream().flatMap(thread -> thread.standbyTasks().stream())
        .map(task -> String.valueOf(task.taskId().partition())).sorted().collect(Collectors.joining(","));
    return "tasks " + (active.isEmpty() ? "-" : active) + " " + (standby.isEmpty() ? "-" : standby);
  }

  private static synchronized void say(String what) {
    System.out.println(what + " " + System.currentTimeMillis());
    System.out.flush();
  }
}
