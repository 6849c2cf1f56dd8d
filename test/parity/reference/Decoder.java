import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.Change;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.internals.ProcessorTopology;
import org.apache.kafka.streams.processor.internals.SourceNode;
import org.apache.kafka.streams.state.StateSerdes;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.TimestampedWindowStore;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.internals.MeteredKeyValueStore;
import org.apache.kafka.streams.state.internals.MeteredSessionStore;
import org.apache.kafka.streams.state.internals.MeteredWindowStore;
import org.apache.kafka.streams.state.internals.TimestampedKeyAndJoinSide;
import org.apache.kafka.streams.test.TestRecord;

/** Reads what Kafka Streams wrote to its own topics, with the serdes that it wrote it with. */
final class Decoder {
  private static final int LONG = 8;
  private static final int SEQUENCE = 4;

  private final TopologyTestDriver driver;
  private final ProcessorTopology topology;

  Decoder(TopologyTestDriver driver) {
    this.driver = driver;
    this.topology = (ProcessorTopology) field(driver, "processorTopology");
  }

  /** Puts key and value of a record of a changelog. Answers whether its format is known. */
  boolean changelog(String topic, TestRecord<byte[], byte[]> record, ObjectNode into) {
    String name = topic.substring("app-".length(), topic.length() - "-changelog".length());
    StateStore store = driver.getAllStateStores().get(name);
    if (store instanceof VersionedKeyValueStore) return false;
    boolean known =
        store instanceof MeteredKeyValueStore || store instanceof MeteredWindowStore || store instanceof MeteredSessionStore;
    if (!known) return false;
    StateSerdes<?, ?> serdes = (StateSerdes<?, ?>) field(store, "serdes");
    byte[] key = record.key();
    if (store instanceof MeteredKeyValueStore) {
      Object read = serdes.keyFrom(key);
      if (read instanceof TimestampedKeyAndJoinSide) return false;
      put(into, "key", read);
    } else if (store instanceof MeteredWindowStore) {
      int end = key.length - LONG - SEQUENCE;
      ObjectNode window = into.putObject("key");
      put(window, "key", serdes.keyFrom(Arrays.copyOf(key, end)));
      window.put("start", ByteBuffer.wrap(key).getLong(end));
      int sequence = ByteBuffer.wrap(key).getInt(end + LONG);
      if (sequence != 0) window.put("seq", sequence);
    } else {
      int end = key.length - 2 * LONG;
      ObjectNode window = into.putObject("key");
      put(window, "key", serdes.keyFrom(Arrays.copyOf(key, end)));
      window.put("start", ByteBuffer.wrap(key).getLong(end + LONG));
      window.put("end", ByteBuffer.wrap(key).getLong(end));
    }
    boolean timestamped = store instanceof TimestampedKeyValueStore || store instanceof TimestampedWindowStore;
    byte[] value = record.value();
    // The changelog has the plain value: its time is the record's.
    byte[] stored = value == null || !timestamped
        ? value
        : ByteBuffer.allocate(LONG + value.length).putLong(record.timestamp()).put(value).array();
    put(into, "value", stored == null ? null : StoreDump.unstamped(serdes.valueFrom(stored)));
    return true;
  }

  /** Puts key and value of a record of a repartition topic. Answers whether its format is known. */
  boolean repartition(String topic, TestRecord<byte[], byte[]> record, ObjectNode into) {
    SourceNode<?, ?> source = topology.source(topic);
    if (source == null || !topic.endsWith("-repartition")) return false;
    Object value = read(source, "valDeserializer", topic, record.value());
    put(into, "key", read(source, "keyDeserializer", topic, record.key()));
    if (value instanceof Change<?> change) {
      ObjectNode both = into.putObject("value");
      put(both, "new", change.newValue);
      put(both, "old", change.oldValue);
    } else {
      put(into, "value", value);
    }
    return true;
  }

  private static Object read(SourceNode<?, ?> source, String which, String topic, byte[] bytes) {
    return bytes == null ? null : ((Deserializer<?>) field(source, which)).deserialize(topic, bytes);
  }

  static void put(ObjectNode into, String name, Object value) {
    if (value == null) into.putNull(name);
    else if (value instanceof Long number) into.put(name, number);
    else if (value instanceof Windowed<?> windowed) {
      ObjectNode key = into.putObject(name);
      put(key, "key", windowed.key());
      key.put("start", windowed.window().start());
      key.put("end", windowed.window().end());
    } else into.put(name, value.toString());
  }

  static Object field(Object of, String name) {
    for (Class<?> each = of.getClass(); each != null; each = each.getSuperclass()) {
      try {
        Field field = each.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
      } catch (NoSuchFieldException absent) {
        // A class above may have it.
      } catch (IllegalAccessException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
    throw new IllegalStateException(of.getClass() + " has no field " + name);
  }
}
