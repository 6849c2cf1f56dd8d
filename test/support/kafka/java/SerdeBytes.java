import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.SessionWindowedSerializer;
import org.apache.kafka.streams.kstream.TimeWindowedSerializer;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.state.internals.SessionKeySchema;
import org.apache.kafka.streams.state.internals.WindowKeySchema;

/** Prints what Kafka's serialisers make of some values: a line each, `name hex`. */
public class SerdeBytes {
  public static void main(String[] args) {
    print("boolean", Serdes.Boolean(), List.of(true, false));
    print("short", Serdes.Short(), List.of((short) 0, (short) -1, Short.MIN_VALUE, Short.MAX_VALUE));
    print("int", Serdes.Integer(), List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE));
    print("long", Serdes.Long(), List.of(0L, -1L, 9007199254740991L, -9007199254740991L));
    print("float", Serdes.Float(), List.of(0.5f, -0.0f, Float.MAX_VALUE, Float.NaN, Float.NEGATIVE_INFINITY));
    print("double", Serdes.Double(), List.of(0.1, -0.0, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY));
    print("string", Serdes.String(), List.of("", "a", "ö€😀"));
    print("uuid", Serdes.UUID(), List.of(UUID.fromString("0A0b0c0d-1111-2222-3333-444455556666")));

    print("list(long)", Serdes.ListSerde(ArrayList.class, Serdes.Long()),
        List.of(Arrays.asList(), Arrays.asList(1L, -1L), Arrays.asList(null, 7L, null)));
    print("list(short)", Serdes.ListSerde(ArrayList.class, Serdes.Short()), List.of(Arrays.asList((short) 5, null)));
    print("list(int)", Serdes.ListSerde(ArrayList.class, Serdes.Integer()), List.of(Arrays.asList(5, null)));
    print("list(float)", Serdes.ListSerde(ArrayList.class, Serdes.Float()), List.of(Arrays.asList(0.5f, null)));
    print("list(double)", Serdes.ListSerde(ArrayList.class, Serdes.Double()), List.of(Arrays.asList(0.1, null)));
    print("list(uuid)", Serdes.ListSerde(ArrayList.class, Serdes.UUID()),
        List.of(Arrays.asList(UUID.fromString("0a0b0c0d-1111-2222-3333-444455556666"), null)));
    print("list(boolean)", Serdes.ListSerde(ArrayList.class, Serdes.Boolean()), List.of(Arrays.asList(true, null, false)));
    print("list(string)", Serdes.ListSerde(ArrayList.class, Serdes.String()),
        List.of(Arrays.asList(), Arrays.asList("", "ö", null)));

    for (TimeWindow window : List.of(new TimeWindow(0, 5), new TimeWindow(1700000000000L, 1700000000005L))) {
      line("time-windowed", new TimeWindowedSerializer<>(Serdes.String().serializer())
          .serialize("t", new Windowed<>("kö", window)));
      line("window-store", WindowKeySchema.toStoreKeyBinary(Bytes.wrap("kö".getBytes()), window.start(), 3).get());
    }
    for (SessionWindow window : List.of(new SessionWindow(0, 0), new SessionWindow(5, 1700000000000L))) {
      line("session-windowed", new SessionWindowedSerializer<>(Serdes.String().serializer())
          .serialize("t", new Windowed<>("kö", window)));
      line("session-store", SessionKeySchema.toBinary(Bytes.wrap("kö".getBytes()), window.start(), window.end()).get());
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void print(String name, Serde serde, List<?> values) {
    for (Object value : values) line(name, serde.serializer().serialize("t", value));
  }

  private static void line(String name, byte[] bytes) {
    System.out.println(name + " " + HexFormat.of().formatHex(bytes));
  }
}
