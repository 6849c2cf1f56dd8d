import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * An independent read-committed reader of a topic of (word, long) records: for each word a line "word n" if its counts are
 * exactly 1, 2, … n in this order, else "word wrong: what was seen, what was due".
 */
public class CheckCounts {
    public static void main(String[] args) {
        Map<String, Object> config = Map.of("bootstrap.servers", System.getenv("KAFKA_BROKERS"), "isolation.level", "read_committed");
        Map<String, Long> counts = new TreeMap<>();
        Map<String, String> wrong = new TreeMap<>();
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            for (var info : consumer.partitionsFor(args[0])) {
                var partition = new TopicPartition(args[0], info.partition());
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                long end = consumer.endOffsets(List.of(partition)).get(partition);
                while (consumer.position(partition) < end) {
                    for (var record : consumer.poll(Duration.ofMillis(200))) {
                        String word = new String(record.key(), StandardCharsets.UTF_8);
                        long seen = ByteBuffer.wrap(record.value()).getLong();
                        long due = counts.merge(word, 1L, Long::sum);
                        if (seen != due) wrong.putIfAbsent(word, seen + " seen, " + due + " due at offset " + record.offset());
                    }
                }
            }
        }
        counts.forEach((word, count) -> System.out.println(word + " " + (wrong.containsKey(word) ? "wrong: " + wrong.get(word) : count)));
    }
}
