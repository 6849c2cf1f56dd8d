import java.util.HashMap;
import java.util.Map;

/** The types of what the topology reads and writes by topic. */
final class Topics {
  record Types(CaseType key, CaseType value) {}

  private final Map<String, Types> read = new HashMap<>();
  private final Map<String, Types> written = new HashMap<>();

  void reads(String topic, CaseType key, CaseType value) {
    read.put(topic, new Types(key, value));
  }

  void writes(String topic, CaseType key, CaseType value) {
    written.put(topic, new Types(key, value));
  }

  Types ofInput(String topic) {
    Types types = read.get(topic);
    if (types == null) throw new IllegalArgumentException("nothing reads " + topic);
    return types;
  }

  Types ofOutput(String topic) {
    return written.getOrDefault(topic, new Types(CaseType.STRING, CaseType.STRING));
  }
}
