import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Kafka Streams' own answers: reads a case per line and prints it with its answer, one per line.
 * A case that gives partition counts is of the family `topology`, any other of `processing`.
 *
 * What is wrong with this program, or with a case, is printed as the field `refused` of the case.
 */
public final class Reference {
  private Reference() {}

  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isBlank()) continue;
      ObjectNode given = (ObjectNode) json.readTree(line);
      ObjectNode answer;
      try {
        answer = given.has("partitions") ? new TopologyRun(given).answer() : new CaseRun(given).answer();
      } catch (Exception | Error thrown) {
        answer = given.deepCopy();
        answer.put("refused", CaseRun.chain(thrown));
        thrown.printStackTrace();
      }
      answers.println(json.writeValueAsString(answer));
    }
  }
}
