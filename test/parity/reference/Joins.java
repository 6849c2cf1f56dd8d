import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.function.BiFunction;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;

/** Joins, by the kinds of their sides. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Joins {
  private Joins() {}

  static DslTopology.Made add(JsonNode node, DslTopology.Made left, DslTopology.Made right) {
    Object of;
    if (left.of() instanceof KTable) of = node.has("foreignKey") ? foreignKey(node, left, right) : tables(node, left, right);
    else if (right.of() instanceof GlobalKTable) of = global(node, left, right);
    else of = right.of() instanceof KTable ? streamTable(node, left, right) : streams(node, left, right);
    return new DslTopology.Made(of, left.key(), CaseType.STRING);
  }

  private static Object streamTable(JsonNode node, DslTopology.Made left, DslTopology.Made right) {
    Joined<Object, Object, Object> options =
        Joined.with(left.key().serde(), left.value().serde(), right.value().serde());
    if (DslTopology.hasName(node)) options = options.withName(node.get("name").asText());
    if (node.has("graceMs")) options = options.withGracePeriod(CaseStores.ms(node, "graceMs"));
    var joiner = Functions.joiner(node.get("joiner"));
    return isLeft(node)
        ? left.stream().leftJoin(right.table(), joiner, options)
        : left.stream().join(right.table(), joiner, options);
  }

  private static Object global(JsonNode node, DslTopology.Made left, DslTopology.Made right) {
    var table = (GlobalKTable<Object, Object>) right.of();
    var key = Functions.mapper(node.get("keyFn"));
    // By the key of the stream's record, not by that of the table's.
    var joiner = Functions.joiner(node.get("joiner"));
    if (DslTopology.hasName(node))
      return isLeft(node)
          ? left.stream().leftJoin(table, key::map, joiner, DslTopology.name(node))
          : left.stream().join(table, key::map, joiner, DslTopology.name(node));
    return isLeft(node)
        ? left.stream().leftJoin(table, key::map, joiner)
        : left.stream().join(table, key::map, joiner);
  }

  private static Object tables(JsonNode node, DslTopology.Made left, DslTopology.Made right) {
    KTable<Object, Object> table = left.table();
    KTable<Object, Object> other = right.table();
    ValueJoiner<Object, Object, Object> joiner = valueJoiner(node);
    boolean named = DslTopology.hasName(node);
    if (!node.has("store") && !named)
      return switch (node.get("op").asText()) {
        case "join" -> table.join(other, joiner);
        case "leftJoin" -> table.leftJoin(other, joiner);
        default -> table.outerJoin(other, joiner);
      };
    if (!node.has("store"))
      return switch (node.get("op").asText()) {
        case "join" -> table.join(other, joiner, DslTopology.name(node));
        case "leftJoin" -> table.leftJoin(other, joiner, DslTopology.name(node));
        default -> table.outerJoin(other, joiner, DslTopology.name(node));
      };
    Materialized stored = Stored.keyValue(node, left.key(), CaseType.STRING);
    if (!named)
      return switch (node.get("op").asText()) {
        case "join" -> table.join(other, joiner, stored);
        case "leftJoin" -> table.leftJoin(other, joiner, stored);
        default -> table.outerJoin(other, joiner, stored);
      };
    return switch (node.get("op").asText()) {
      case "join" -> table.join(other, joiner, DslTopology.name(node), stored);
      case "leftJoin" -> table.leftJoin(other, joiner, DslTopology.name(node), stored);
      default -> table.outerJoin(other, joiner, DslTopology.name(node), stored);
    };
  }

  private static Object foreignKey(JsonNode node, DslTopology.Made left, DslTopology.Made right) {
    KTable<Object, Object> table = left.table();
    KTable<Object, Object> other = right.table();
    var map = Functions.mapper(node.get("foreignKey"));
    BiFunction<Object, Object, Object> key = map::map;
    ValueJoiner<Object, Object, Object> joiner = valueJoiner(node);
    TableJoined<Object, Object> name = DslTopology.hasName(node) ? TableJoined.as(node.get("name").asText()) : null;
    Materialized stored = Stored.keyValue(node, left.key(), CaseType.STRING);
    if (name == null) return isLeft(node) ? table.leftJoin(other, key, joiner, stored) : table.join(other, key, joiner, stored);
    if (!node.has("store"))
      return isLeft(node) ? table.leftJoin(other, key, joiner, name) : table.join(other, key, joiner, name);
    return isLeft(node)
        ? table.leftJoin(other, key, joiner, name, stored)
        : table.join(other, key, joiner, name, stored);
  }

  private static Object streams(JsonNode node, DslTopology.Made left, DslTopology.Made right) {
    StreamJoined<Object, Object, Object> options =
        StreamJoined.with(left.key().serde(), left.value().serde(), right.value().serde());
    if (DslTopology.hasName(node)) options = options.withName(node.get("name").asText());
    if (node.has("storeName")) options = options.withStoreName(node.get("storeName").asText());
    if (node.path("inMemory").asBoolean())
      options = options.withDslStoreSuppliers(BuiltInDslStoreSuppliers.IN_MEMORY);
    if (node.path("loggingDisabled").asBoolean()) options = options.withLoggingDisabled();
    var joiner = Functions.joiner(node.get("joiner"));
    return switch (node.get("op").asText()) {
      case "join" -> left.stream().join(right.stream(), joiner, windows(node), options);
      case "leftJoin" -> left.stream().leftJoin(right.stream(), joiner, windows(node), options);
      default -> left.stream().outerJoin(right.stream(), joiner, windows(node), options);
    };
  }

  private static JoinWindows windows(JsonNode node) {
    Duration both = CaseStores.ms(node, "timeDifferenceMs");
    JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(both, CaseStores.ms(node, "graceMs"));
    if (node.has("beforeMs")) windows = windows.before(CaseStores.ms(node, "beforeMs"));
    return node.has("afterMs") ? windows.after(CaseStores.ms(node, "afterMs")) : windows;
  }

  /** Joins of tables have joiners without key. */
  private static ValueJoiner<Object, Object, Object> valueJoiner(JsonNode node) {
    var joiner = Functions.joiner(node.get("joiner"));
    return (left, right) -> joiner.apply(null, left, right);
  }

  private static boolean isLeft(JsonNode node) {
    return node.get("op").asText().equals("leftJoin");
  }
}
