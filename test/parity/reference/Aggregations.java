import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Initializer;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindowedCogroupedKStream;
import org.apache.kafka.streams.kstream.SessionWindowedKStream;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindowedCogroupedKStream;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.UnlimitedWindows;
import org.apache.kafka.streams.kstream.Windows;

/** Aggregations of grouped streams and tables, with windows and without. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Aggregations {
  private Aggregations() {}

  static DslTopology.Made add(JsonNode node, DslTopology.Made input) {
    return switch (node.get("op").asText()) {
      case "windowedBy" -> windowedBy(node, input);
      case "count" -> count(node, input);
      case "reduce" -> reduce(node, input);
      default -> aggregate(node, input);
    };
  }

  /** The key's type tells which windows were used: what follows needs it to write and read windowed keys. */
  private static DslTopology.Made windowedBy(JsonNode node, DslTopology.Made input) {
    JsonNode window = node.get("window");
    Duration grace = CaseStores.ms(window, "graceMs");
    String type = window.get("type").asText();
    Object of;
    Long sizeMs;
    if (type.equals("session")) {
      var windows = SessionWindows.ofInactivityGapAndGrace(CaseStores.ms(window, "gapMs"), grace);
      sizeMs = null;
      of = input.of() instanceof CogroupedKStream cogrouped
          ? cogrouped.windowedBy(windows)
          : ((KGroupedStream<Object, Object>) input.of()).windowedBy(windows);
    } else if (type.equals("sliding")) {
      var windows = SlidingWindows.ofTimeDifferenceAndGrace(CaseStores.ms(window, "timeDifferenceMs"), grace);
      sizeMs = windows.timeDifferenceMs();
      of = input.of() instanceof CogroupedKStream cogrouped
          ? cogrouped.windowedBy(windows)
          : ((KGroupedStream<Object, Object>) input.of()).windowedBy(windows);
    } else {
      Windows windows = timeWindows(window, type, grace);
      sizeMs = windows.size();
      of = input.of() instanceof CogroupedKStream cogrouped
          ? cogrouped.windowedBy(windows)
          : ((KGroupedStream) input.of()).windowedBy(windows);
    }
    if (node.has("emit")) of = emitting(of, node.get("emit").asText());
    return new DslTopology.Made(of, input.key().inWindows(sizeMs), input.value());
  }

  private static Windows timeWindows(JsonNode window, String type, Duration grace) {
    if (type.equals("unlimited")) return UnlimitedWindows.of().startOn(java.time.Instant.ofEpochMilli(window.path("startMs").asLong()));
    TimeWindows windows = TimeWindows.ofSizeAndGrace(CaseStores.ms(window, "sizeMs"), grace);
    return type.equals("hopping") ? windows.advanceBy(CaseStores.ms(window, "advanceMs")) : windows;
  }

  private static Object emitting(Object of, String emit) {
    EmitStrategy strategy = emit.equals("onWindowClose") ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate();
    return of instanceof TimeWindowedKStream time
        ? time.emitStrategy(strategy)
        : ((SessionWindowedKStream<Object, Object>) of).emitStrategy(strategy);
  }

  private static DslTopology.Made count(JsonNode node, DslTopology.Made input) {
    Materialized stored = Stored.any(node, input.key().unwindowed(), CaseType.LONG);
    boolean named = DslTopology.hasName(node);
    Object of = input.of();
    Object table;
    if (of instanceof KGroupedStream stream) table = named ? stream.count(DslTopology.name(node), stored) : stream.count(stored);
    else if (of instanceof KGroupedTable group) table = named ? group.count(DslTopology.name(node), stored) : group.count(stored);
    else if (of instanceof TimeWindowedKStream time) table = named ? time.count(DslTopology.name(node), stored) : time.count(stored);
    else {
      var session = (SessionWindowedKStream) of;
      table = named ? session.count(DslTopology.name(node), stored) : session.count(stored);
    }
    return new DslTopology.Made(table, input.key(), CaseType.LONG);
  }

  private static DslTopology.Made reduce(JsonNode node, DslTopology.Made input) {
    Materialized stored = Stored.any(node, input.key().unwindowed(), input.value());
    boolean named = DslTopology.hasName(node);
    var add = Functions.reducer(node.get("fn"));
    Object of = input.of();
    Object table;
    if (of instanceof KGroupedTable group) {
      var subtract = Functions.reducer(node.get("subtractor"));
      table = named ? group.reduce(add, subtract, DslTopology.name(node), stored) : group.reduce(add, subtract, stored);
    } else if (of instanceof KGroupedStream stream) {
      table = named ? stream.reduce(add, DslTopology.name(node), stored) : stream.reduce(add, stored);
    } else if (of instanceof TimeWindowedKStream time) {
      table = named ? time.reduce(add, DslTopology.name(node), stored) : time.reduce(add, stored);
    } else {
      var session = (SessionWindowedKStream) of;
      table = named ? session.reduce(add, DslTopology.name(node), stored) : session.reduce(add, stored);
    }
    return new DslTopology.Made(table, input.key(), input.value());
  }

  private static DslTopology.Made aggregate(JsonNode node, DslTopology.Made input) {
    boolean isLong = node.path("init").isNumber();
    CaseType value = isLong ? CaseType.LONG : CaseType.STRING;
    Object first = isLong ? (Object) node.get("init").asLong() : node.path("init").asText();
    Initializer<Object> init = () -> first;
    Materialized stored = Stored.any(node, input.key().unwindowed(), value);
    boolean named = DslTopology.hasName(node);
    var name = named ? DslTopology.name(node) : null;
    Object of = input.of();
    Object table;
    if (of instanceof CogroupedKStream group) table = named ? group.aggregate(init, name, stored) : group.aggregate(init, stored);
    else if (of instanceof TimeWindowedCogroupedKStream group) table = named ? group.aggregate(init, name, stored) : group.aggregate(init, stored);
    else if (of instanceof SessionWindowedCogroupedKStream group) {
      var merge = Functions.merger(node.get("merger"));
      table = named ? group.aggregate(init, merge, name, stored) : group.aggregate(init, merge, stored);
    } else {
      var add = Functions.aggregator(node.get("fn"));
      if (of instanceof KGroupedTable group) {
        var subtract = Functions.aggregator(node.get("subtractor"));
        table = named ? group.aggregate(init, add, subtract, name, stored) : group.aggregate(init, add, subtract, stored);
      } else if (of instanceof KGroupedStream stream) {
        table = named ? stream.aggregate(init, add, name, stored) : stream.aggregate(init, add, stored);
      } else if (of instanceof TimeWindowedKStream time) {
        table = named ? time.aggregate(init, add, name, stored) : time.aggregate(init, add, stored);
      } else {
        var session = (SessionWindowedKStream) of;
        var merge = Functions.merger(node.get("merger"));
        table = named ? session.aggregate(init, add, merge, name, stored) : session.aggregate(init, add, merge, stored);
      }
    }
    return new DslTopology.Made(table, input.key(), value);
  }
}
