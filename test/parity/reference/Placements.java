import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Kafka Streams' own placements: reads a step of a case of the family `assignment` per line and prints it with what its
 * assignor answers, one per line.
 *
 * The answer has under `standby` what the library has there, warm-ups included, and no measures or movements.
 */
public final class Placements {
  private Placements() {}

  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isBlank()) continue;
      ObjectNode given = (ObjectNode) json.readTree(line);
      try {
        given.set("expected", answer(given));
      } catch (Exception | Error thrown) {
        given.put("refused", CaseRun.chain(thrown));
        thrown.printStackTrace();
      }
      answers.println(json.writeValueAsString(given));
    }
  }

  private static ObjectNode answer(JsonNode given) {
    if (given.get("assignor").asText().equals("FallbackPrior")) return new PlacementRun(given).withoutLags();
    ObjectNode answer = new PlacementRun(given).withLags();
    answer.set("target", new PlacementRun(given).asIfCaughtUp().get("clients"));
    return answer;
  }
}
